import Foundation

/// A process that answers for many folders, and is started again when it has ended.
final class AuditorProcess {
  struct Answer {
    var line: String
    /// What is wrong; nil if nothing is.
    var wrong: String?
    /// The last save of each writer.
    var saves: [Int64: Int64] = [:]
  }

  private let environment: [String: String]
  private var process: Child?

  init(environment: [String: String] = [:]) { self.environment = environment }

  func ask(_ folder: URL, _ seed: UInt64, _ what: String, within seconds: Double = 60) throws -> Answer {
    let process = try self.process ?? Child(Command.work("audit", folder, seed), environment: environment)
    self.process = process
    process.send("\(folder.path) \(seed) \(what)")
    do {
      if let line = try process.line(within: seconds) { return Self.parse(line) }
    } catch is Child.Hung {
      process.kill()
      self.process = nil
      return Answer(line: "", wrong: "the process that opens the store hangs")
    }
    let end = try process.finish()
    self.process = nil
    return Answer(line: "", wrong: "the process that opens the store ended with \(end): \(process.trouble)")
  }

  private static func parse(_ line: String) -> Answer {
    var answer = Answer(line: line)
    if line.hasPrefix("wrong ") { answer.wrong = line }
    guard line.hasPrefix("saves") else { return answer }
    for pair in line.split(separator: " ").dropFirst() {
      let parts = pair.split(separator: ":")
      if parts.count == 2, let writer = Int64(parts[0]), let save = Int64(parts[1]) { answer.saves[writer] = save }
    }
    return answer
  }
}
