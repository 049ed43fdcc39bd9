import Foundation
import LMDB

private func open(_ directory: String, _ configure: (inout Environment.Options) -> Void = { _ in }) throws
  -> Environment
{
  var options = Environment.Options()
  options.durability = .unsafeNoSync
  configure(&options)
  return try Environment.open(at: directory, options: options)
}

/// `<directory>`: holds a snapshot until it hears something.
func readEnvironment(_ arguments: [String]) throws {
  try open(arguments[0]).read { transaction in
    say("reading \(transaction.view.id)")
    hear()
  }
}

/// `<directory>`: says how large a map it got.
func describeEnvironment(_ arguments: [String]) throws {
  say("\(try open(arguments[0]).information().mapSizeBytes)")
}

/// `<directory> <database> <megabytes>`: writes values of one megabyte in one transaction.
func fillEnvironment(_ arguments: [String]) throws {
  let megabytes = Int(arguments[2]) ?? 0
  try open(arguments[0]).write { transaction in
    let database = try transaction.createDatabase(named: arguments[1])
    for index in 0..<megabytes {
      try transaction.put(database, key: Array("\(index)".utf8), value: [UInt8](repeating: 1, count: 1 << 20))
    }
  }
  say("filled")
}

/// `<directory> <database>`: creates a database with one entry.
func createDatabase(_ arguments: [String]) throws {
  try open(arguments[0]).write { transaction in
    let database = try transaction.createDatabase(named: arguments[1])
    try transaction.put(database, key: Array("key".utf8), value: Array("value".utf8))
  }
  say("created")
}

/// `<directory>`: forks, uses the environment in the child, and says by which signal the child ended.
func useAfterFork(_ arguments: [String]) throws {
  let environment = try open(arguments[0])
  try environment.read { _ in }
  let child = fork()
  if child == 0 {
    do {
      try environment.read { _ in }
      exit(0)
    } catch {
      exit(1)
    }
  }
  var status: Int32 = 0
  waitpid(child, &status, 0)
  try environment.read { _ in }
  say("signal \(status & 0x7f)")
}

/// `<directory> <database>`: opens for writing, and says how that ended; then for reading, and says what it read.
func openOnReadOnlyDisk(_ arguments: [String]) throws {
  do {
    _ = try open(arguments[0])
    say("opened for writing")
  } catch let error as LMDBError {
    say("\(error.code)")
  }
  let environment = try open(arguments[0]) { $0.isReadOnly = true }
  guard let database = try environment.database(named: arguments[1]) else { throw Failure("there is no database") }
  let value = try environment.read { try $0.view.get(database, key: Array("key".utf8))?.copied() }
  say(String(decoding: value ?? [], as: UTF8.self))
}

/// `<directory>`: commits ever more until the disk refuses, then says with which code, and what is still there.
func fillDisk(_ arguments: [String]) throws {
  let environment = try open(arguments[0]) { $0.durability = .full }
  let database = try environment.write { try $0.createDatabase(named: "filling") }
  var committed = 0
  do {
    while true {
      try environment.write { transaction in
        let value = [UInt8](repeating: UInt8(truncatingIfNeeded: committed), count: 100_000)
        try transaction.put(database, key: Array("\(committed)".utf8), value: value)
      }
      committed += 1
    }
  } catch let error as LMDBError {
    say("\(error.code)")
  }
  let entries = try environment.read { try $0.view.statistics(database).entries }
  say(entries == committed && committed > 0 ? "kept" : "lost: \(entries) of \(committed)")
}

private func openLogged(_ directory: String, durability: Environment.Durability = .full) throws -> Environment {
  try open(directory) { options in
    options.durability = durability
    options.keepsRedoLog = true
  }
}

extension Environment {
  fileprivate func put(_ key: String, _ value: String, in name: String) throws {
    try write { transaction in
      let database = try transaction.createDatabase(named: name)
      try transaction.put(database, key: Array(key.utf8), value: Array(value.utf8))
    }
  }
}

/// `<directory> <database> <count>`: commits once an entry, one after the other, so that the redo log keeps them, and
/// waits with the environment open.
func logCommits(_ arguments: [String]) throws {
  let environment = try openLogged(arguments[0])
  for index in 0..<(Int(arguments[2]) ?? 0) { try environment.put("\(index)", "value \(index)", in: arguments[1]) }
  say("committed")
  hear()
  try environment.read { say("reading \($0.view.id)") }
}

/// `<directory> <database>`: one commit that does not wait for the page that makes it valid.
func commitRelaxed(_ arguments: [String]) throws {
  try openLogged(arguments[0], durability: .relaxed).put("0", "relaxed", in: arguments[1])
}

/// `<directory> <database>`: commits twice, forks, lets go of the environment in the child, and waits for its end. Says
/// how the child ended, and how many readers there are while it reads.
func logAndFork(_ arguments: [String]) throws {
  var environment: Environment? = try openLogged(arguments[0])
  for index in 0..<2 { try environment?.put("\(index)", "value \(index)", in: arguments[1]) }
  let child = fork()
  if child == 0 {
    environment = nil
    _exit(0)
  }
  var status: Int32 = 0
  waitpid(child, &status, 0)
  // Beside the one that keeps the checkpoint.
  let readers = try environment?.read { _ in try environment?.information().activeReaders }
  say("\(status), \(readers ?? 0)")
  hear()
}

/// `<directory> <database> flush|rest`: logs a commit, and flushes or rests, which fails from the mark on (see
/// `write-log.c`); says with which code, and how the next commit ends.
func logUntilFlushFails(_ arguments: [String]) throws {
  let environment = try openLogged(arguments[0])
  for index in 0..<2 { try environment.put("\(index)", "value \(index)", in: arguments[1]) }
  _ = access("/power-cut/begun/1000", F_OK)
  say(outcome { if arguments[2] == "rest" { try environment.rest() } else { try environment.flush() } })
  say(outcome { try environment.put("2", "value 2", in: arguments[1]) })
}

/// `<directory>`: fills the disk but for half a megabyte, and commits while there is room for that.
func logOnFullDisk(_ arguments: [String]) throws {
  let environment = try openLogged(arguments[0])
  try environment.put("first", "1", in: "people")
  let filler = arguments[0] + "/filler"
  try Data().write(to: URL(fileURLWithPath: filler))
  let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: filler))
  var filled: UInt64 = 0
  do {
    while true {
      try handle.write(contentsOf: Data(count: 4096))
      filled += 4096
    }
  } catch {
    try handle.truncate(atOffset: filled - 512 << 10)
  }
  commit(10, to: environment, value: String(repeating: "v", count: 20_000))
}

/// Commits entries one by one, and says how that ended.
private func commit(_ count: Int, to environment: Environment, value: String = "value") {
  say(outcome { for index in 0..<count { try environment.put("\(index)", value, in: "people") } })
}

private func outcome(_ body: () throws -> Void) -> String {
  do {
    try body()
    return "committed"
  } catch {
    return (error as? LMDBError).map { "\($0.code)" } ?? "\(error)"
  }
}

/// `<directory> <count>`: commits entries one by one, with a mark before them (see `write-log.c`), and says how that
/// ended.
func logAndTell(_ arguments: [String]) throws {
  let environment = try openLogged(arguments[0])
  for index in 0..<2 { try environment.put("\(index)", "before", in: "people") }
  _ = access("/power-cut/begun/1000", F_OK)
  commit(Int(arguments[1]) ?? 0, to: environment)
}

/// `<directory>`: says how many entries it finds; then commits one for each line it hears, and says how that ended.
func commitOnRequest(_ arguments: [String]) throws {
  let environment = try openLogged(arguments[0])
  var entries = 0
  if let people = try environment.database(named: "people") {
    entries = try environment.read { try $0.view.statistics(people).entries }
  }
  say("found \(entries)")
  while let word = hear() { say(outcome { try environment.put(word, word, in: "people") }) }
}

/// `<directory>`: opens all files that it may, and commits.
func logWithoutDescriptors(_ arguments: [String]) throws {
  let environment = try openLogged(arguments[0])
  while dup(0) >= 0 {}
  commit(10, to: environment)
}
