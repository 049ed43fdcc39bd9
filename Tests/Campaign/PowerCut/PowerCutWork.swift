import Foundation
import RecordStore
import RecordSync

/// The run whose power is cut: saves of two processes, and exports, each with its mark in the log of calls.
enum PowerCutWork {
  /// The number under which exports are marked; a save's number is that of the last save exported.
  static let exports: Int64 = 100
  /// Of the process beside it.
  private static let neighbour: Int64 = 2

  static func run(_ site: Site, saves: Int64) throws {
    Voice.mark("begun/1/0")
    let ledger = try site.create()
    Voice.mark("saved/1/0")
    let engine = site.engine(ledger)
    let other = try Neighbour(site, writer: neighbour)
    var random = SplitMix(state: site.seed)
    var others: Int64 = 0
    for save in 1...saves {
      try Voice.save(save, 1, ledger, site.seed)
      if Int.random(in: 0..<4, using: &random) == 0 {
        others += 1
        try other.save(others)
      }
      guard Int.random(in: 0..<6, using: &random) == 0 else { continue }
      Voice.mark("begun/\(exports)/\(save)")
      _ = try wait { try await engine.export() }
      Voice.mark("saved/\(exports)/\(save)")
      if Int.random(in: 0..<4, using: &random) == 0 { _ = try wait { try await engine.compact() } }
    }
    try other.finish()
  }

  /// Another process that saves when it is told to; its calls come to the same log.
  private final class Neighbour {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    init(_ site: Site, writer: Int64) throws {
      process.executableURL = URL(fileURLWithPath: Command.program)
      process.arguments = [
        "work", "save-on-request", site.folder.path, "\(site.seed)", "\(writer)", "\(site.durability)",
      ]
      process.environment = ProcessInfo.processInfo.environment.merging(["CAMPAIGN_PARENT": "\(getpid())"]) { $1 }
      process.standardInput = input
      process.standardOutput = output
      try process.run()
      try expect("working")
    }

    func save(_ number: Int64) throws {
      try input.fileHandleForWriting.write(contentsOf: Data("\(number)\n".utf8))
      try expect("saved")
    }

    func finish() throws {
      try input.fileHandleForWriting.close()
      process.waitUntilExit()
    }

    private func expect(_ word: String) throws {
      var said = ""
      while !said.contains(word) {
        let more = output.fileHandleForReading.availableData
        if more.isEmpty { throw Trouble("the process beside it ended") }
        said += String(decoding: more, as: UTF8.self)
      }
    }
  }
}
