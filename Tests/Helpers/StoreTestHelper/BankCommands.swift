import Foundation
import HelperProcess
import RecordStore

private func number(_ text: String) throws -> Int64 {
  guard let number = Int64(text) else { throw Failure("\(text) is not a number") }
  return number
}

/// `<store>`: opens it, creating it if it is missing, and says its identity.
func openStore(_ arguments: [String]) throws {
  say("\(try Bank(path: arguments[0]).store.storeID)")
}

/// `<store>`: ends by SIGKILL in the middle of opening it.
func dieOpening(_ arguments: [String]) throws {
  try Interruption.$plan.withValue(Interruption.Plan(at: 0, kills: true)) {
    _ = try RecordStore.open(StoreConfiguration(url: URL(fileURLWithPath: arguments[0])))
  }
}

/// `<store> <step>`: ends by SIGKILL at that step of creating it.
func dieCreating(_ arguments: [String]) throws {
  try Interruption.$plan.withValue(Interruption.Plan(at: Int(number(arguments[1])), kills: true)) {
    _ = try Bank(path: arguments[0])
  }
}

/// `<store>`: makes the bank.
func createBank(_ arguments: [String]) throws {
  try Bank(path: arguments[0]).createAccounts()
  say("created")
}

/// `<store> <writer> [<count>]`: transfers until it is killed, its input ends or it has done so many, and says the
/// serial of each acknowledged save.
func writeBank(_ arguments: [String]) throws {
  let bank = try Bank(path: arguments[0])
  let writer = try number(arguments[1])
  var serial = (try bank.serials(of: writer).max() ?? 0) + 1
  let last = arguments.count > 2 ? serial + (try number(arguments[2])) : .max
  let end = InputEnd()
  say("writing")
  while !end.isReached, serial < last {
    try bank.transfer(writer: writer, serial: serial)
    say("\(serial)")
    serial += 1
  }
}

/// `<store>`: audits snapshot after snapshot until its input ends, then says how many it saw.
func readBank(_ arguments: [String]) throws {
  let bank = try Bank(path: arguments[0], isReadOnly: true)
  let end = InputEnd()
  var last = try bank.audit()
  var seen = 0
  say("reading")
  while !end.isReached {
    let audit = try bank.audit()
    if audit.transaction < last.transaction || audit.entries < last.entries {
      throw Failure("a later snapshot is older: \(audit) after \(last)")
    }
    if audit.transaction > last.transaction { seen += 1 }
    last = audit
  }
  say("saw \(seen)")
}

/// `<store> <writer> <serials…>`: says whether every acknowledged save is there and the store is sound.
func auditBank(_ arguments: [String]) throws {
  let bank = try Bank(path: arguments[0])
  let found = try bank.serials(of: try number(arguments[1]))
  let acknowledged = try Set(arguments.dropFirst(2).map(number))
  let lost = acknowledged.subtracting(found).sorted()
  if !lost.isEmpty { throw Failure("acknowledged and lost: \(lost)") }
  _ = try bank.audit()
  let violations = try bank.store.integrityViolations()
  if !violations.isEmpty { throw Failure(violations.joined(separator: "; ")) }
  say("sound \(found.count)")
}

/// `<store>`: transfers until the store refuses, and says with which code, and whether all earlier saves are there.
func fillBank(_ arguments: [String]) throws {
  let bank = try Bank(path: arguments[0])
  var saved: Int64 = 0
  do {
    while true {
      try bank.transfer(writer: 1, serial: saved + 1)
      saved += 1
    }
  } catch let error as StoreError {
    say("\(error.code)")
  }
  _ = try bank.audit()
  let violations = try bank.store.integrityViolations()
  let found = try bank.serials(of: 1)
  say(violations.isEmpty && found == Set(1...saved) ? "kept" : "\(found.count) of \(saved) are there; \(violations)")
}

/// `<store>`: makes the bank and transfers until a transfer is refused, and once more; says after which one, and why
/// each was refused. After ten it says that calls may fail (see `calls.c`).
func transferUntilRefused(_ arguments: [String]) throws {
  let bank = try Bank(path: arguments[0])
  try bank.createAccounts()
  var last: Int64 = 0
  func refusal() -> StoreError.Code? {
    if last == 10 { _ = access("/campaign/arm", F_OK) }
    do {
      try bank.transfer(writer: 1, serial: last + 1)
      return nil
    } catch {
      return (error as? StoreError)?.code
    }
  }
  while last < 1000 {
    guard let code = refusal() else {
      last += 1
      continue
    }
    say("\(last) \(code) \(refusal().map { "\($0)" } ?? "saved")")
    return
  }
  throw Failure("no transfer was refused")
}

/// `<store>`: tries to save, says how that ended, then reads.
func openReadOnly(_ arguments: [String]) throws {
  do {
    try Bank(path: arguments[0]).transfer(writer: 1, serial: 1)
    say("saved")
  } catch let error as StoreError {
    say("\(error.code)")
  }
  say("read \(try Bank(path: arguments[0], isReadOnly: true).audit().entries)")
}

/// `<store>`: says the number of each transaction that a commit notice leads it to, until its input ends.
func watchStore(_ arguments: [String]) throws {
  let bank = try Bank(path: arguments[0], isReadOnly: true)
  let observation = bank.store.observeCommits { number in say("\(number)") }
  say("watching")
  while hear() != nil {}
  withExtendedLifetime(observation) {}
}

/// `<store>`: creates it, transfers once, and prints to both outputs while it is open, whether they are there or not.
func printBesideBank(_ arguments: [String]) throws {
  let bank = try Bank(path: arguments[0])
  try bank.createAccounts()
  try bank.transfer(writer: 1, serial: 1)
  for output in [STDOUT_FILENO, STDERR_FILENO] {
    let line = [UInt8](repeating: UInt8(ascii: "x"), count: 100)
    _ = write(output, line, line.count)
  }
  try bank.transfer(writer: 1, serial: 2)
}
