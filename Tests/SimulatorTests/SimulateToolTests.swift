import HelperProcess
import Testing

struct SimulateToolTests {
  @Test func `a run that holds ends with its summary and 0`() throws {
    let tool = try HelperProcess(arguments: ["--seed", "1", "--histories", "2"], program: "simulate-histories")
    let first = try tool.line()
    #expect(first?.hasPrefix("2 histories, ") == true)
    #expect(try tool.finish() == 0)
  }

  @Test func `a violation is printed as a scenario with the command that repeats it, and ends with 1`() throws {
    let tool = try HelperProcess(
      arguments: ["--mutant", "noLogicalClock", "--theme", "notes", "--histories", "20"], program: "simulate-histories")
    var lines: [String] = []
    while let line = try tool.line() { lines.append(line) }
    #expect(lines.contains { $0.contains("\"steps\": [") })
    #expect(lines.last?.hasPrefix("again: tools/simulate --seed ") == true)
    #expect(lines.last?.hasSuffix(" --histories 1 --theme notes --mutant noLogicalClock") == true)
    #expect(try tool.finish() == 1)
  }

  @Test(
    arguments: [
      ["--mutant", "none"], ["--theme", "none"], ["--jobs", "0"], ["--seconds", "0"], ["more"],
      ["--ways", "--mutant", "noLogicalClock"],
    ])
  func `wrong usage ends with 64`(arguments: [String]) throws {
    let tool = try HelperProcess(arguments: arguments, program: "simulate-histories")
    #expect(try tool.finish() == 64)
  }
}
