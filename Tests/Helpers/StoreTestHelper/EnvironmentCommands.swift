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

private func openDurably(_ directory: String) throws -> Environment { try open(directory) { $0.durability = .full } }

private func put(_ key: String, in environment: Environment) throws {
  try environment.write { transaction in
    let database = try transaction.createDatabase(named: "people")
    try transaction.put(database, key: Array(key.utf8), value: Array("value of \(key)".utf8))
  }
}

private func outcome(_ body: () throws -> Void) -> String {
  do {
    try body()
    return "committed"
  } catch {
    return (error as? LMDBError).map { "\($0.code)" } ?? "\(error)"
  }
}

/// `<directory>`: says how many entries it finds; then does what each line says, and says how that ended: `flush`
/// flushes, `fail` lets flushes fail from now on (see `calls.c`), `reopen` opens the environment anew, and any
/// other word is committed as an entry.
func commitOnRequest(_ arguments: [String]) throws {
  var environment: Environment? = try openDurably(arguments[0])
  func entries() throws -> Int {
    guard let environment, let people = try environment.database(named: "people") else { return 0 }
    return try environment.read { try $0.view.statistics(people).entries }
  }
  say("found \(try entries())")
  while let word = hear() {
    switch word {
    case "fail": say("\(access("/campaign/arm", F_OK))")
    case "flush": say(outcome { try environment?.flush() })
    case "reopen":
      environment = nil
      say(outcome { environment = try openDurably(arguments[0]) })
    case "count": say("\(try entries())")
    default:
      guard let environment else { throw Failure("the environment is closed") }
      say(outcome { try put(word, in: environment) })
    }
  }
}

/// `<directory> <count> <map bytes>`: opens and closes the environment so often, with a map of that size.
func openRepeatedly(_ arguments: [String]) throws {
  for _ in 0..<(Int(arguments[1]) ?? 0) {
    let environment = try open(arguments[0]) { $0.mapSizeBytes = Int(arguments[2]) ?? 0 }
    try environment.read { _ in }
  }
  say("opened")
}

/// `<directory>`: holds a snapshot until it hears something, and says the numbers of all readers that do; then commits
/// each word that it hears.
func holdReader(_ arguments: [String]) throws {
  let environment = try openDurably(arguments[0])
  try environment.read { _ in
    let own = try environment.readers().filter { $0.transactionID != nil }
    say(own.map { "\($0.number)" }.joined(separator: " "))
    hear()
  }
  while let word = hear() { say(outcome { try put(word, in: environment) }) }
}

/// `<directory> <free bytes>`: leaves that much room on the disk, lets flushes fail from then on (see `calls.c`),
/// commits until that is refused, and says with which code; then makes room again, and says how a commit ends.
func commitOnNearlyFullDisk(_ arguments: [String]) throws {
  let environment = try openDurably(arguments[0])
  try put("first", in: environment)
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
    try handle.truncate(atOffset: filled - (UInt64(arguments[1]) ?? 0))
  }
  _ = access("/campaign/arm", F_OK)
  var count = 0
  var code = "committed"
  while code == "committed" {
    count += 1
    code = outcome {
      try environment.write { transaction in
        let database = try transaction.createDatabase(named: "people")
        try transaction.put(database, key: Array("\(count)".utf8), value: [UInt8](repeating: 1, count: 50_000))
      }
    }
  }
  say(code)
  try handle.truncate(atOffset: 0)
  say(outcome { try put("last", in: environment) })
}

/// `<directory>`: flushes, which fails (see `calls.c`), while another thread lets the map grow.
func flushWhileGrowing(_ arguments: [String]) throws {
  let environment = try open(arguments[0]) {
    $0.durability = .full
    $0.mapSizeBytes = 1 << 20
  }
  _ = access("/campaign/arm", F_OK)
  let isDone = DispatchSemaphore(value: 0)
  let thread = Thread {
    let ends = outcome {
      for index in 0..<1000 {
        try environment.write { transaction in
          let database = try transaction.createDatabase(named: "people")
          try transaction.put(database, key: Array("\(index)".utf8), value: [UInt8](repeating: 1, count: 300_000))
        }
      }
    }
    say(ends)
    isDone.signal()
  }
  thread.start()
  for _ in 0..<100 { _ = outcome { try environment.flush() } }
  isDone.wait()
}

/// `<directory>`: opens all descriptors that the process may have, and commits.
func commitWithoutDescriptors(_ arguments: [String]) throws {
  let environment = try openDurably(arguments[0])
  while dup(0) >= 0 {}
  say(outcome { for index in 0..<10 { try put("\(index)", in: environment) } })
}
