import { InfraError } from "../../core/errors.ts";

/**
 * A seccomp program against what namespaces do not divide: the kernel's keyrings belong to the user's number
 * outside, so a box could otherwise read the keys of whoever started it. Beside them stand calls that no agent
 * needs and that kernels were broken through (bpf, perf events, userfaultfd, io_uring), and those by which one process
 * takes another over: a tool could write events in the name of the agent that called it.
 */
export function systemCallFilter(processor: string = process.arch): Buffer {
  const machine = machines[processor];
  if (machine === undefined) {
    throw new InfraError("refused", `There is no system call filter for the processor ${processor}.`, {
      hint: "Say `--sandbox container`.",
    });
  }
  const { number, denied } = machine;
  const last = denied.length + 5;
  return Buffer.concat([
    instruction(loadWord, 0, 0, 4),
    // programs of another architecture have other numbers for the same calls
    instruction(jumpIfEqual, 0, last - 2, number),
    instruction(loadWord, 0, 0, 0),
    instruction(jumpIfAtLeast, last - 4, 0, otherNumbering),
    ...denied.map((call, at) => instruction(jumpIfEqual, last - 5 - at, 0, call)),
    instruction(giveBack, 0, 0, allow),
    instruction(giveBack, 0, 0, refuse),
  ]);
}

interface Machine {
  /** As the kernel's audit names it. */
  readonly number: number;
  /** add_key, request_key, keyctl; perf_event_open, bpf, userfaultfd; io_uring; ptrace, process_vm_readv and _writev, pidfd_getfd. */
  readonly denied: readonly number[];
}

const sameEverywhere: readonly number[] = [425, 426, 427, 438];
const generic: readonly number[] = [217, 218, 219, 241, 280, 282, 117, 270, 271, ...sameEverywhere];

const machines: Readonly<Record<string, Machine>> = {
  x64: { number: 0xc000003e, denied: [248, 249, 250, 298, 321, 323, 101, 310, 311, ...sameEverywhere] },
  arm64: { number: 0xc00000b7, denied: generic },
  riscv64: { number: 0xc00000f3, denied: generic },
};

const loadWord = 0x20;
const jumpIfEqual = 0x15;
const jumpIfAtLeast = 0x35;
const giveBack = 0x06;
const allow = 0x7fff0000;
/** EPERM */
const refuse = 0x00050001;
/** From here on are the calls of x32, which would slip by under another number. */
const otherNumbering = 0x40000000;

function instruction(code: number, ifTrue: number, ifFalse: number, operand: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(ifTrue, 2);
  bytes.writeUInt8(ifFalse, 3);
  bytes.writeUInt32LE(operand, 4);
  return bytes;
}
