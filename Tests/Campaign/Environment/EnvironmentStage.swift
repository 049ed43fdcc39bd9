import Foundation
import RecordStore

/// Where a case plays: a folder, mounts that only this process and its children see, and processes.
struct EnvironmentStage: Sendable {
  let folder: URL
  let seed: UInt64
  let library: CallsLibrary
  let isLong: Bool

  static let limitSeconds = 60.0

  /// Runs a program of the system; throws ``EnvironmentCase/Skip`` where it fails, because the machine does not allow
  /// it.
  func run(_ words: String...) throws {
    let process = try Child(["/usr/bin/env"] + words)
    guard try process.finish() == .exit(0) else {
      throw EnvironmentCase.Skip("`\(words.joined(separator: " "))` says: \(process.trouble)")
    }
  }

  func makeFolder(_ name: String) throws -> URL {
    let made = folder.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: made, withIntermediateDirectories: true)
    return made
  }

  /// Mounts, lends the folder, and takes it off.
  func mount(_ options: [String], on name: String, _ body: (URL) throws -> Void) throws {
    let place = try makeFolder(name)
    let process = try Child(["/usr/bin/env", "mount"] + options + [place.path])
    guard try process.finish() == .exit(0) else {
      throw EnvironmentCase.Skip("`mount \(options.joined(separator: " "))` says: \(process.trouble)")
    }
    Workplace.current.mounted(place.path)
    defer {
      umount2(place.path, Int32(MNT_DETACH))
      Workplace.current.unmounted(place.path)
    }
    try body(place)
  }

  /// A file with an ext4 in it.
  func makeDisk(megabytes: Int) throws -> String {
    let path = folder.appendingPathComponent("disk.image").path
    try run("truncate", "-s", "\(megabytes)M", path)
    try run("mkfs.ext4", "-q", "-F", path)
    return path
  }

  func createStore(in place: URL, saves: Int64 = 5) throws {
    let ledger = try Site(place.path, seed: seed).create()
    for save in 1...saves { try ledger.save(save, writer: 1, seed: seed) }
  }

  /// A process at work in a place; `prefix`: a program that starts it.
  func start(
    _ words: [String], in place: URL, environment: [String: String] = [:], limit: String? = nil, prefix: [String] = []
  ) throws -> Child {
    let command = prefix + Command.work(words[0], place, seed) + words.dropFirst()
    let full = (prefix.isEmpty ? [] : ["/usr/bin/env"]) + command
    return try Child(full, environment: library.environment(folder: place, environment), limit: limit)
  }

  /// All that a process says until its end, which must be its own and good.
  func lines(of process: Child) throws -> [String] {
    let lines: [String]
    do {
      lines = try process.lines(within: Self.limitSeconds)
    } catch is Child.Hung {
      throw Finding("a process hangs")
    }
    let end = try process.finish()
    guard end == .exit(0) else { throw Finding("a process ended with \(end): \(lines.last ?? "") \(process.trouble)") }
    return lines
  }

  /// The code with which a process was refused; nil if it was not.
  func refusal(in lines: [String]) -> String? {
    lines.first { $0.hasPrefix("refused ") }.map {
      $0.split(separator: " ").dropFirst().prefix(2).joined(separator: " ")
    }
  }

  func expect(_ lines: [String], refused codes: String...) throws {
    guard let code = refusal(in: lines), codes.contains("\(code)") else {
      throw Finding("it said \(lines.suffix(3)), not \(codes.joined(separator: " or "))")
    }
  }

  /// The last save that a process was told is safe.
  func saved(in lines: [String], writer: Int64 = 1) -> Int64 {
    var saves = FaultRun.Saves()
    for line in lines { _ = saves.take(line) }
    return saves.saved[writer] ?? 0
  }

  /// The store is sound, has at least that save, and takes another.
  @discardableResult
  func audit(_ place: URL, atLeast save: Int64, writer: Int64 = 1) throws -> Int64 {
    let answer = try AuditorProcess().ask(place, seed, "store")
    if let wrong = answer.wrong { throw Finding(wrong) }
    let found = answer.saves[writer] ?? 0
    if found < save { throw Finding("save \(save) of writer \(writer) was acknowledged, the store ends at \(found)") }
    return found
  }
}
