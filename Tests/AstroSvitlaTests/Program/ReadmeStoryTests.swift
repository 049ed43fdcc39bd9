import Foundation
import Testing

@Suite struct ReadmeStoryTests {
  /// A command of the story, and the lines that the README promises.
  private struct Step {
    var command: String
    var promised: [String]
  }

  private func story() throws -> [Step] {
    let readme = try String(contentsOf: packageRoot.appending(path: "README.md"), encoding: .utf8)
    let section = try #require(readme.components(separatedBy: "## AstroSvitla by examples").last)
    let block = try #require(section.components(separatedBy: "```console\n").dropFirst().first)
    var steps: [Step] = []
    for line in block.components(separatedBy: "```")[0].split(separator: "\n").map(String.init) {
      if line.hasPrefix("$ ") {
        steps.append(Step(command: String(line.dropFirst(2)), promised: []))
      } else if !steps.isEmpty {
        steps[steps.count - 1].promised.append(line)
      }
    }
    return steps
  }

  /// Words as a shell splits them, as far as the story needs it.
  private func words(_ command: String) -> [String] {
    let text = command.components(separatedBy: "   #")[0]
    return text.split(separator: " ").map(String.init)
  }

  @Test func `the story of the README goes as it is told`() throws {
    let steps = try story()
    #expect(steps.count > 10)
    try withDevices { folder in
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        at: folder.appending(path: "SyncFixtures"), withDestinationURL: packageRoot.appending(path: "SyncFixtures"))
      for step in steps { try play(step, in: folder) }
    }
  }

  private func play(_ step: Step, in folder: URL) throws {
    var words = words(step.command)
    switch words[0] {
    case "export": return
    case "mkdir":
      for name in words.dropFirst() {
        try FileManager.default.createDirectory(at: folder.appending(path: name), withIntermediateDirectories: false)
      }
    case "timeout":
      // The README kills by time, which a slow machine could make the wrong moment; here it is the step's own line.
      words.removeFirst(4)
      let run = try ProgramRun(words, in: folder, killAt: "step: verified")
      #expect(run.code == -SIGKILL, "\(step.command): \(run.trouble)")
    default:
      let run = try ProgramRun(words, in: folder)
      #expect(run.code == 0, "\(step.command): \(run.trouble)")
      let said = run.output.split(separator: "\n").map(String.init)
      if !step.promised.isEmpty { #expect(said == step.promised, "\(step.command)") }
    }
  }
}
