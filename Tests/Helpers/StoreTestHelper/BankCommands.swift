import Foundation
import RecordStore

private func number(_ text: String) throws -> Int64 {
  guard let number = Int64(text) else { throw Failure("\(text) is not a number") }
  return number
}

/// `<store>`: makes the bank.
func createBank(_ arguments: [String]) throws {
  try Bank(path: arguments[0]).createAccounts()
  say("created")
}

/// `<store> <writer>`: transfers until it is killed or its input ends, and says the serial of each acknowledged save.
func writeBank(_ arguments: [String]) throws {
  let bank = try Bank(path: arguments[0])
  let writer = try number(arguments[1])
  var serial = (try bank.serials(of: writer).max() ?? 0) + 1
  let end = InputEnd()
  say("writing")
  while !end.isReached {
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

/// `<store>`: says the number of each transaction that a commit notice leads it to, until its input ends.
func watchStore(_ arguments: [String]) throws {
  let bank = try Bank(path: arguments[0], isReadOnly: true)
  let observation = bank.store.observeCommits { number in say("\(number)") }
  say("watching")
  while hear() != nil {}
  withExtendedLifetime(observation) {}
}
