import { expect, test } from "vitest";
import { systemCallFilter } from "./system-call-filter.ts";

/** Runs the program as the kernel would. */
function verdict(program: Buffer, machine: number, call: number): number {
  const data = { 0: call, 4: machine } as Readonly<Record<number, number>>;
  let value = 0;
  for (let at = 0; at < program.length / 8; at += 1) {
    const code = program.readUInt16LE(at * 8);
    const operand = program.readUInt32LE(at * 8 + 4);
    const [yes, no] = [program.readUInt8(at * 8 + 2), program.readUInt8(at * 8 + 3)];
    if (code === 0x20) value = data[operand] ?? 0;
    if (code === 0x15) at += value === operand ? yes : no;
    if (code === 0x35) at += value >= operand ? yes : no;
    if (code === 0x06) return operand;
  }
  throw new Error("ran over the end");
}

const [allow, refuse] = [0x7fff0000, 0x00050001];

test.each([
  ["x64", 0xc000003e, [248, 249, 250, 298, 321, 323, 101, 310, 311, 425, 426, 427, 438]],
  ["arm64", 0xc00000b7, [217, 218, 219, 241, 280, 282, 117, 270, 271, 425, 426, 427, 438]],
  ["riscv64", 0xc00000f3, [217, 218, 219, 241, 280, 282, 117, 270, 271, 425, 426, 427, 438]],
])("on %s exactly the listed calls are refused", (processor, machine, denied) => {
  const program = systemCallFilter(processor);
  for (let call = 0; call < 600; call += 1) {
    expect(verdict(program, machine, call), String(call)).toBe(denied.includes(call) ? refuse : allow);
  }
  expect(verdict(program, machine, 0x40000000 + 250)).toBe(refuse);
  expect(verdict(program, 0x40000003, 4)).toBe(refuse);
});

test("an unknown processor is refused, not left open", () => {
  expect(() => systemCallFilter("mips")).toThrow(/No system call filter/);
});
