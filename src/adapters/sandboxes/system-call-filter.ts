import { InfraError } from "../../core/errors.ts";

/**
 * A seccomp program for things namespaces don't separate. The kernel's keyrings belong to the outside user id, so a
 * box could otherwise read the keys of the user who started it. It also blocks calls that agents don't need and that
 * kernels were exploited through (bpf, perf events, userfaultfd, io_uring). And it blocks calls that take over
 * another process: a tool could write events in its agent's name.
 */
export function systemCallFilter(processor: string = process.arch): Buffer {
  const machine = machines[processor];
  if (machine === undefined) {
    throw new InfraError("refused", `No system call filter exists for the processor ${processor}.`, {
      hint: "Use `--sandbox container`.",
    });
  }
  const { number, denied } = machine;
  const last = denied.length + 5;
  return Buffer.concat([
    instruction(loadWord, 0, 0, 4),
    // on other architectures the same calls have other numbers
    instruction(jumpIfEqual, 0, last - 2, number),
    instruction(loadWord, 0, 0, 0),
    instruction(jumpIfAtLeast, last - 4, 0, otherNumbering),
    ...denied.map((call, at) => instruction(jumpIfEqual, last - 5 - at, 0, call)),
    instruction(giveBack, 0, 0, allow),
    instruction(giveBack, 0, 0, refuse),
  ]);
}

interface Machine {
  /** The kernel audit's name for it. */
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
/** The calls of x32 start here. They would slip through under another number. */
const otherNumbering = 0x40000000;

function instruction(code: number, ifTrue: number, ifFalse: number, operand: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(ifTrue, 2);
  bytes.writeUInt8(ifFalse, 3);
  bytes.writeUInt32LE(operand, 4);
  return bytes;
}
