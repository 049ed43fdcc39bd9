import Foundation
import HelperProcess
import LMDB
import TestSupport
import Testing

/// Small commits that wait for the log alone, and what is left of them when the data file was not written.
struct RedoLogTests {
  /// The directory's files after a first commit, which is on the device as a whole, and after others that are logged.
  private func disks(
    _ directory: TemporaryDirectory, first: (Environment) throws -> Void = { try $0.put("first", "1") },
    then: (Environment) throws -> Void
  ) throws -> (before: RedoDisk, after: RedoDisk) {
    let environment = try openLogged(directory)
    try first(environment)
    let before = try RedoDisk(of: directory)
    try then(environment)
    return (before, try RedoDisk(of: directory))
  }

  private func content(of disk: RedoDisk, _ names: [String] = ["people"]) throws -> [String: [String: String]] {
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    try disk.write(to: directory)
    return try openLogged(directory).content(names)
  }

  @Test func `commits that the data file lacks are done again from the log`() throws {
    let directory = try TemporaryDirectory()
    let (before, after) = try disks(directory) { environment in
      try environment.put("second", "2")
      try environment.put("third", "3")
    }
    #expect(!before.hasRecord && after.hasRecord)
    var lost = before
    lost.log = after.log
    let found = try content(of: lost)
    #expect(found == ["people": ["first": "1", "second": "2", "third": "3"]])
  }

  @Test func `a data file of which any part was written is brought to the last commit`() throws {
    var random = SeededGenerator.announced()
    for _ in 0..<12 {
      let directory = try TemporaryDirectory()
      var expected: [String: [String: String]] = [:]
      let (before, after) = try disks(directory) { environment in
        for _ in 0..<Int.random(in: 1..<60, using: &random) { try changeAnything(environment, &random) }
        expected = try environment.content(names)
      }
      let left = before.mixed(withDataOf: after, &random)
      let (found, recovered) = try recover(left)
      // Compared apart, for what they hold is long.
      let isWhole = found == expected
      #expect(isWhole)
      // Cut off again while the commits were done again: the pages that make a commit valid come last.
      var again = left.mixed(withDataOf: recovered, &random)
      again.log = left.log
      again.data.replaceSubrange(0..<8192, with: left.data[0..<8192])
      let isWholeAgain = try recover(again).content == expected
      #expect(isWholeAgain)
    }
  }

  private func recover(_ disk: RedoDisk) throws -> (content: [String: [String: String]], disk: RedoDisk) {
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    try disk.write(to: directory)
    let environment = try openLogged(directory)
    return (try environment.content(names), try RedoDisk(of: directory))
  }

  private let names = ["people", "places", "things"]

  /// One commit by all ways to write, some of them undone.
  private func changeAnything(_ environment: Environment, _ random: inout SeededGenerator) throws {
    try environment.write { transaction in
      let name = names.randomElement(using: &random) ?? ""
      let database = try transaction.createDatabase(named: name)
      for _ in 0..<Int.random(in: 1..<6, using: &random) {
        try changeAnything(database, transaction, &random)
      }
      do {
        try transaction.nested { nested in
          try changeAnything(try nested.createDatabase(named: names[0]), nested, &random)
          if Bool.random(using: &random) { throw Undo() }
        }
      } catch is Undo {
        return
      }
    }
  }

  private struct Undo: Error {}

  private func changeAnything(
    _ database: Database, _ transaction: borrowing WriteTransaction, _ random: inout SeededGenerator
  ) throws {
    let key = "\(Int.random(in: 0..<300, using: &random))".bytes
    let value = String(repeating: "y", count: Int.random(in: 0..<5000, using: &random)).bytes
    switch Int.random(in: 0..<9, using: &random) {
    case 0: try transaction.put(database, key: key, value: value)
    case 1: try transaction.delete(database, key: key)
    case 2:
      // A key that is there changes nothing.
      do { try transaction.put(database, key: key, value: value, mode: .insert) } catch let error as LMDBError {
        #expect(error.code == .keyExists)
      }
    case 3:
      try key.withRawBytes { key in
        try transaction.reserve(database, key: key, count: 20) { $0.copyBytes(from: 1...20) }
      }
    case 4...7: try changeByCursor(database, key, value, transaction, &random)
    default:
      if Int.random(in: 0..<5, using: &random) == 0 { try transaction.removeAll(from: database) }
    }
  }

  private func changeByCursor(
    _ database: Database, _ key: [UInt8], _ value: [UInt8], _ transaction: borrowing WriteTransaction,
    _ random: inout SeededGenerator
  ) throws {
    let cursor = try transaction.writeCursor(database)
    try key.withRawBytes { key in
      try value.withRawBytes { value in
        switch Int.random(in: 0..<4, using: &random) {
        case 0: try cursor.put(key: key, value: value)
        case 1: _ = try cursor.insert(key: key, value: value)
        case 2: try cursor.reserve(key: key, count: 7) { $0.copyBytes(from: 1...7) }
        default: _ = try cursor.delete(key: key)
        }
      }
    }
  }

  @Test func `a log that is not whole is done again up to its last whole record`() throws {
    let directory = try TemporaryDirectory()
    let (before, after) = try disks(directory) { environment in
      try environment.put("second", "2")
      try environment.put("third", "3")
    }
    var torn = before
    torn.log = after.log
    // The second record's last byte.
    let end = try #require(torn.log[4096...].lastIndex { $0 != 0 })
    torn.log[end] ^= 1
    #expect(try content(of: torn) == ["people": ["first": "1", "second": "2"]])
  }

  @Test func `what is logged shows in the data file as well, and a rest brings it to the device`() throws {
    let directory = try TemporaryDirectory()
    let environment = try openLogged(directory)
    #expect(!environment.isRestless)
    try environment.put("first", "1")
    #expect(environment.isRestless)
    try environment.put("second", "2")
    #expect(try RedoDisk(of: directory).hasRecord)
    #expect(try environment.content(["people"]) == ["people": ["first": "1", "second": "2"]])
    try environment.rest()
    #expect(try !environment.isRestless && !RedoDisk(of: directory).hasRecord)
    var rested = try RedoDisk(of: directory)
    rested.log = Data()
    #expect(try content(of: rested) == ["people": ["first": "1", "second": "2"]])
  }

  @Test func `a rest that others keep from flushing lets pages go all the same`() throws {
    struct Busy: Error {}
    let directory = try TemporaryDirectory()
    let environment = try openLogged(directory)
    try environment.put("first", "1")
    try environment.put("second", "2")
    let before = try RedoDisk(of: directory)
    #expect(throws: Busy.self) { try environment.rest { _ in throw Busy() } }
    #expect(try !environment.isRestless && RedoDisk(of: directory).log == before.log)
    // Now no page may be written over before the data file is on the device.
    try environment.put("third", "3")
    #expect(try !RedoDisk(of: directory).hasRecord)
    #expect(try environment.content(["people"]) == ["people": ["first": "1", "second": "2", "third": "3"]])
  }

  @Test func `the last who closes leaves no log`() throws {
    let directory = try TemporaryDirectory()
    let (_, after) = try disks(directory) { try $0.put("second", "2") }
    #expect(after.hasRecord)
    let closed = try RedoDisk(of: directory)
    #expect(!closed.hasRecord)
    var data = closed
    data.log = Data()
    #expect(try content(of: data) == ["people": ["first": "1", "second": "2"]])
  }

  @Test func `a large commit is not logged, and makes what was logged before it void`() throws {
    let directory = try TemporaryDirectory()
    let (_, after) = try disks(directory) { environment in
      try environment.put("second", "2")
      try environment.put("large", String(repeating: "l", count: 300_000))
    }
    let found = try content(of: after)
    #expect(found["people"]?.keys.sorted() == ["first", "large", "second"])
    #expect(found["people"]?["large"]?.count == 300_000)
  }

  @Test func `a commit that is announced as large is not logged, and is there`() throws {
    let directory = try TemporaryDirectory()
    let (before, after) = try disks(directory) { environment in
      try environment.put("second", "2")
      try environment.write { transaction in
        let people = try transaction.createDatabase(named: "people")
        transaction.expectChanges(byteCount: 1_000)
        try transaction.put(people, key: Array("third".utf8), value: Array("3".utf8))
        transaction.expectChanges(byteCount: 1_000_000)
        try transaction.put(people, key: Array("fourth".utf8), value: Array("4".utf8))
      }
    }
    let found = try content(of: after)
    #expect(found == ["people": ["first": "1", "second": "2", "third": "3", "fourth": "4"]])
    var lost = before
    lost.log = after.log
    let logged = try content(of: lost)
    #expect(logged == ["people": ["first": "1", "second": "2"]])
  }

  @Test func `a log that is full begins anew after a commit that is not logged`() throws {
    let directory = try TemporaryDirectory()
    let environment = try openLogged(directory)
    var sizes: [Int] = []
    for index in 0..<400 {
      try environment.put("\(index % 10)", "\(index)")
      sizes.append(try environment.information().usedBytes)
    }
    // Pages come back with each new log.
    #expect(sizes[399] == sizes[200])
    #expect(try RedoDisk(of: directory).log.count == 1 << 20)
  }

  @Test func `a copy made while commits are in the log is whole, with that log and without`() throws {
    let directory = try TemporaryDirectory()
    let environment = try openLogged(directory)
    for index in 0..<5 { try environment.put("\(index)", "\(index)") }
    let expected = try environment.content(["people"])
    for isCompact in [false, true] {
      let copy = try TemporaryDirectory()
      try environment.copy(to: copy.path, compacting: isCompact)
      var disk = try RedoDisk(of: copy)
      #expect(try content(of: disk) == expected)
      disk.log = try RedoDisk(of: directory).log
      #expect(try disk.hasRecord && content(of: disk) == expected)
    }
  }

  @Test func `an older data file, put back beside a newer log, is taken as it is`() throws {
    let directory = try TemporaryDirectory()
    var kept: [RedoDisk] = []
    var contents: [[String: [String: String]]] = []
    let environment = try openLogged(directory)
    for index in 0..<12 {
      // The same pages come and go, with values of one length.
      try environment.put("\(index % 2)", "\(index % 10)")
      if index < 8 {
        try environment.rest()
        kept.append(try RedoDisk(of: directory))
        contents.append(try environment.content(["people"]))
      }
    }
    let log = try RedoDisk(of: directory).log
    for (older, expected) in zip(kept, contents) {
      var disk = older
      disk.log = log
      #expect(disk.hasRecord)
      #expect(try content(of: disk) == expected)
    }
  }

  @Test func `a log beside another data file is left alone`() throws {
    let (directory, other) = (try TemporaryDirectory(), try TemporaryDirectory())
    let (_, after) = try disks(directory) { try $0.put("second", "2") }
    var foreign = try disks(other) { environment in
      for index in 0..<3 { try environment.put("\(index)", "0", in: "places") }
      try environment.rest()
    }.after
    foreign.log = after.log
    let expected = ["people": ["first": "1"], "places": ["0": "0", "1": "0", "2": "0"]]
    #expect(try content(of: foreign, names) == expected)
    // With the number of the log's checkpoint, or one before, but not its content.
    let small = try TemporaryDirectory()
    foreign = try disks(small, first: { try $0.put("own", "larger", in: "things") }, then: { _ in }).before
    foreign.log = after.log
    #expect(try content(of: foreign, names) == ["things": ["own": "larger"]])
  }

  @Test func `a log by a later build is refused`() throws {
    let directory = try TemporaryDirectory()
    var (_, after) = try disks(directory) { try $0.put("second", "2") }
    after.log[8] = 2
    #expect(errorCode { _ = try content(of: after) } == .laterLog)
  }

  @Test func `whatever is damaged in a record, the log ends before it`() throws {
    let directory = try TemporaryDirectory()
    let (before, after) = try disks(directory) { try $0.put("second", "2") }
    let last = try #require(after.log.lastIndex { $0 != 0 })
    // Bytes 8 and 9 are the format, of which a later build may have another.
    for index in 0...last where index != 8 && index != 9 {
      var damaged = before
      damaged.log = after.log
      damaged.log[index] ^= 0xff
      #expect(try content(of: damaged) == ["people": ["first": "1"]], "byte \(index)")
    }
    // The greatest number of a transaction, which has no next one.
    var damaged = before
    damaged.log = after.log
    damaged.log.replaceSubrange(164..<172, with: repeatElement(0xff, count: 8))
    #expect(try content(of: damaged) == ["people": ["first": "1"]])
  }

  /// What an earlier record left behind the end of the log was taken for one of a later build, and nothing could be
  /// written any more. Records begin at pages, so each alignment of the word is tried.
  @Test func `values that look like records of a later build are none`() throws {
    let directory = try TemporaryDirectory()
    let environment = try openLogged(directory)
    for shift in 0..<4 {
      try environment.rest()
      try environment.put("first", "1")
      let value = String(repeating: ".", count: shift) + String(repeating: "TRDO", count: 5000)
      try environment.put("large", value)
      #expect(try RedoDisk(of: directory).log[4096..<20_000].range(of: Data("TRDOTRDO".utf8)) != nil)
      try environment.rest()
      for index in 0..<3 { try environment.put("small", "\(shift) \(index)") }
      #expect(try RedoDisk(of: directory).hasRecord)
    }
    #expect(try environment.content(["people"])["people"]?["small"] == "3 2")
  }

  @Test func `an environment whose directory was moved keeps its log, and lets others' be`() throws {
    let (parent, other) = (try TemporaryDirectory(), try TemporaryDirectory())
    let (here, there) = (parent.path + "/here", parent.path + "/there")
    let files = FileManager.default
    try files.createDirectory(atPath: here, withIntermediateDirectories: false)
    var options = Environment.Options()
    options.keepsRedoLog = true
    let environment = try Environment.open(at: here, options: options)
    try environment.put("first", "1")
    try files.moveItem(atPath: here, toPath: there)
    try disks(other) { try $0.put("second", "2") }.after.write(to: other)
    try files.copyItem(atPath: other.path, toPath: here)
    let log = here + "/" + Environment.redoLogName
    let theirs = files.contents(atPath: log)
    try environment.put("second", "2")
    try environment.put("third", "3")
    #expect(files.contents(atPath: log) == theirs)
    #expect(files.contents(atPath: there + "/" + Environment.redoLogName)?.prefix(4) == Data("TRDO".utf8))
  }

  @Test func `the log may be read and written by whoever may do so with the data file`() throws {
    let directory = try TemporaryDirectory()
    let environment = try openLogged(directory)
    try environment.put("first", "1")
    func mode(_ name: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: directory.path + "/" + name)[.posixPermissions] as? Int
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o664], ofItemAtPath: directory.path + "/data.mdb")
    try environment.put("second", "2")
    #expect(try mode(Environment.redoLogName) == 0o664)
  }

  @Test func `who opens for reading only is told of commits that only the log has`() throws {
    let (directory, place) = (try TemporaryDirectory(), try TemporaryDirectory())
    try disks(directory) { try $0.put("second", "2") }.after.write(to: place)
    #expect(errorCode { _ = try openLogged(place) { $0.isReadOnly = true } } == .recoveryNeeded)
    #expect(try openLogged(place).content(["people"]) == ["people": ["first": "1", "second": "2"]])
  }

  // MARK: Several processes

  @Test func `what a killed process has logged is done again`() throws {
    let directory = try TemporaryDirectory()
    let helper = try HelperProcess("log-commits", directory.path, "people", "5")
    try helper.expect("committed")
    #expect(try RedoDisk(of: directory).hasRecord)
    helper.kill()
    let expected = Dictionary(uniqueKeysWithValues: (0..<5).map { ("\($0)", "value \($0)") })
    let environment = try openLogged(directory)
    #expect(try environment.content(["people"]) == ["people": expected])
    #expect(try !RedoDisk(of: directory).hasRecord)
  }

  @Test func `who begins a log with another process's relaxed commit has seen its mark`() throws {
    let directory = try TemporaryDirectory()
    let environment = try openLogged(directory)
    for index in 0..<3 { try environment.put("\(index)", "\(index)") }
    let helper = try HelperProcess("commit-relaxed", directory.path, "people")
    #expect(try helper.finish() == 0)
    #expect(try RedoDisk(of: directory).log.prefix(4) == Data("TRDM".utf8))
    try environment.put("3", "3")
    #expect(try RedoDisk(of: directory).hasRecord)
    #expect(try environment.content(["people"]) == ["people": ["0": "relaxed", "1": "1", "2": "2", "3": "3"]])
  }

  @Test func `a process that did not log flushes the data file before it writes over pages`() throws {
    let directory = try TemporaryDirectory()
    let helper = try HelperProcess("log-commits", directory.path, "people", "5")
    try helper.expect("committed")
    let environment = try openLogged(directory)
    #expect(try RedoDisk(of: directory).hasRecord)
    try environment.put("own", "1")
    #expect(try !RedoDisk(of: directory).hasRecord)
    // From here on both log in turn.
    try environment.put("own", "2")
    #expect(try RedoDisk(of: directory).hasRecord)
    try helper.send("go")
    #expect(try helper.finish() == 0)
    #expect(try environment.content(["people"])["people"]?["own"] == "2")
  }

  @Test func `while others use the environment its log is left alone`() throws {
    let directory = try TemporaryDirectory()
    let helper = try HelperProcess("log-commits", directory.path, "people", "5")
    try helper.expect("committed")
    let before = try RedoDisk(of: directory)
    do {
      let environment = try openLogged(directory)
      #expect(try environment.content(["people"])["people"]?.count == 5)
    }
    #expect(try RedoDisk(of: directory).log == before.log)
    try helper.send("go")
    #expect(try helper.finish() == 0)
  }

  @Test func `a forked child that lets go of the environment takes nothing from its parent`() throws {
    let directory = try TemporaryDirectory()
    let helper = try HelperProcess("log-and-fork", directory.path, "people")
    try helper.expect("0, 2")
    let before = try RedoDisk(of: directory)
    #expect(before.hasRecord)
    // Nobody else may take itself for the only user.
    let environment = try openLogged(directory)
    #expect(try RedoDisk(of: directory).log == before.log)
    withExtendedLifetime(environment) {}
    try helper.send("go")
    #expect(try helper.finish() == 0)
  }
}
