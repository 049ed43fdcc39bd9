import Foundation
import HelperProcess
import Testing

/// Commands whose disk fails late, played by a library that is loaded before the system's: their words and exit codes
/// are true, and the next run may go by them.
@Suite(.enabled(if: PreloadedCalls.hasCompiler))
struct CommandTroubleTests {
  /// A folder with a store of one record and a copy of it, a backup, and a store with a second record.
  private struct Place {
    let folder: URL
    let library: URL
    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    func tandem(_ words: [String], failing fault: String? = nil) throws -> (MachineCommand, hasFailed: Bool) {
      let report = path("report")
      var more = ["CAMPAIGN_ARMED": "1", "CAMPAIGN_REPORT": report]
      if let fault { more["CAMPAIGN_FAULT"] = fault }
      let environment = fault == nil ? [:] : PreloadedCalls.environment(library, below: folder, more)
      let program = try HelperProcess.executable(named: "tandem").path
      let command = try MachineCommand(
        ["sh", "-c", "exec \"$0\" \"$@\" 2>&1", program] + words, environment: environment)
      guard fault != nil else { return (command, false) }
      let told = try String(contentsOfFile: report, encoding: .utf8).split(separator: "\n")
      try FileManager.default.removeItem(atPath: report)
      return (command, told.contains { !$0.hasPrefix("count ") })
    }

    func expectDone(_ words: String...) throws {
      let command = try tandem(words).0
      #expect(command.status == 0, "\(words): \(command.lines)")
    }

    func make() throws {
      for number in 1...2 {
        try #"{"@entity":"Item","name":"\#(number)"}"#.write(
          toFile: path("\(number).jsonl"), atomically: true, encoding: .utf8)
      }
      try expectDone("import", path("first.store"), path("1.jsonl"), "--entity", "Item")
      try expectDone("backup", path("first.store"), path("first.backup"))
      try expectDone("dump", path("first.store"), "-o", path("first.dump"))
      try FileManager.default.copyItem(atPath: path("first.store"), toPath: path("second.store"))
      try expectDone("import", path("second.store"), path("2.jsonl"), "--entity", "Item")
    }

    /// How many records a store, backup or file has; nil where nothing is.
    func count(_ name: String) throws -> String? {
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: path(name), isDirectory: &isFolder) else { return nil }
      guard isFolder.boolValue else {
        let lines = try String(contentsOfFile: path(name), encoding: .utf8).split(separator: "\n")
        return "\(lines.count { $0.contains("\"name\":\"") && !$0.hasPrefix("{\"tandemDump") })"
      }
      let command = try tandem(["query", path(name), "Item", "--count"]).0
      return command.status == 0 ? command.lines.last : "\(command.lines)"
    }

    func remove(_ name: String) throws {
      if FileManager.default.fileExists(atPath: path(name)) { try FileManager.default.removeItem(atPath: path(name)) }
    }
  }

  private func with(_ body: (Place) throws -> Void) throws {
    try PreloadedCalls.with { folder, library in
      let place = Place(folder: folder, library: library)
      try place.make()
      try body(place)
    }
  }

  private enum Work: String, CaseIterable {
    case load, `import`, salvage, backup, backupAgain, restore, restoreAgain, dump, export

    /// What the target is a copy of before; nil: nothing.
    var former: String? {
      switch self {
      case .backupAgain: "first.backup"
      case .restoreAgain: "second.store"
      default: nil
      }
    }

    func words(_ place: Place) -> [String] {
      let target = place.path("target")
      return switch self {
      case .load: ["load", target, place.path("first.dump")]
      case .import: ["import", target, place.path("1.jsonl"), "--entity", "Item"]
      case .salvage: ["salvage", place.path("first.store"), target]
      case .backup: ["backup", place.path("first.store"), target]
      case .backupAgain: ["backup", place.path("second.store"), target]
      case .restore, .restoreAgain: ["restore", target, place.path("first.backup")]
      case .dump: ["dump", place.path("first.store"), "-o", target]
      case .export: ["export", place.path("first.store"), "--json-lines", target]
      }
    }
  }

  /// The flush of the folder came last: "nothing was imported" stood beside a store that had everything, and what was
  /// imported again was there twice.
  @Test(arguments: Work.allCases.map(\.rawValue))
  func `whichever flush fails, a command says whether its work was done`(_ name: String) throws {
    let work = try #require(Work(rawValue: name))
    try with { place throws in
      let done = work == .backupAgain ? "2" : "1"
      var told: [Int32] = []
      for number in 1...100 {
        try place.remove("target")
        if let former = work.former {
          try FileManager.default.copyItem(atPath: place.path(former), toPath: place.path("target"))
        }
        let before = try place.count("target")
        let (command, hasFailed) = try place.tandem(work.words(place), failing: "flush EIO \(number)")
        guard hasFailed else {
          #expect(command.status == 0, "\(command.lines)")
          break
        }
        told.append(command.status)
        let sentence = command.lines.joined(separator: "\n")
        #expect((0...2).contains(command.status), "\(number): \(command.status) \(sentence)")
        #expect(try place.count("target") == (command.status == 2 ? before : done), "\(number): \(sentence)")
        #expect((command.status == 1) == sentence.contains("in its place"), "\(number): \(sentence)")
        #expect(command.status != 1 || !sentence.contains("nothing was"), "\(number): \(sentence)")
        // The former backup goes once the new one surely has its name, and with the next one.
        let left = try FileManager.default.contentsOfDirectory(atPath: place.folder.path).filter {
          $0.hasPrefix(".target")
        }
        #expect(left == (work == .backupAgain && command.status == 1 ? [".target.unfinished"] : []), "\(number)")
      }
      #expect(told.contains(2) && told.last == 1, "\(told)")
    }
  }

  /// Once the new store had its name, "nothing was made" stood beside it.
  @Test func `a salvage whose process is killed at a flush says whether its store is there`() throws {
    try with { place throws in
      var told: [Int32] = []
      for number in 1...100 {
        try place.remove("target")
        let (command, hasEnded) = try place.tandem(Work.salvage.words(place), failing: "flush kill \(number)")
        guard hasEnded else {
          #expect(command.status == 0, "\(command.lines)")
          break
        }
        told.append(command.status)
        let sentence = command.lines.joined(separator: "\n")
        #expect(sentence.contains("ended by signal 9"), "\(number): \(sentence)")
        #expect(command.status == 1 ? sentence.contains("in its place") : sentence.contains("nothing was made"))
        #expect(try place.count("target") == (command.status == 1 ? "1" : nil), "\(number): \(sentence)")
      }
      #expect(told.contains(2) && told.last == 1, "\(told)")
    }
  }

  /// They could not be taken along, and went with the store that had been replaced.
  @Test func `a restore that is to discard the former store keeps its copies from before migrations`() throws {
    try with { place throws in
      let copy = "backups/20260102T030405Z-1.0.0"
      var statuses: [Int32] = []
      for number in 1...100 {
        for name in try FileManager.default.contentsOfDirectory(atPath: place.folder.path)
        where name.hasPrefix("target") { try place.remove(name) }
        try FileManager.default.copyItem(atPath: place.path("second.store"), toPath: place.path("target"))
        try FileManager.default.createDirectory(
          atPath: place.path("target/\(copy)"), withIntermediateDirectories: true)
        let (command, hasFailed) = try place.tandem(
          ["restore", place.path("target"), place.path("first.backup"), "--discard-replaced"],
          failing: "name EIO \(number)")
        let places = try FileManager.default.contentsOfDirectory(atPath: place.folder.path).filter {
          $0.hasPrefix("target") && FileManager.default.fileExists(atPath: place.path("\($0)/\(copy)"))
        }
        #expect(places.count == 1 && (command.status != 0 || places == ["target"]), "\(number): \(command.lines)")
        #expect(
          command.lines.contains { line in places.contains { line.contains($0) } } || places == ["target"],
          "\(number): \(command.lines)")
        statuses.append(command.status)
        guard hasFailed else { break }
      }
      #expect(statuses.count > 1 && statuses.last == 0, "\(statuses)")
    }
  }
}
