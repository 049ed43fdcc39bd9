import Foundation
import RecordStore

/// `<store> <writer> <count>`: waits for a line, then runs that many effects that each shall happen once, and says how
/// many of them happened here.
func runOnce(_ arguments: [String]) throws {
  guard arguments.count == 3, let writer = Int64(arguments[1]), let count = Int64(arguments[2]) else {
    throw Failure("run-once takes a store, a writer and a count")
  }
  let bank = try Bank(path: arguments[0])
  say("ready")
  hear()
  var performed = 0
  for serial in 1...count {
    let outcome = try bank.enterOnce(writer: writer, serial: serial)
    if outcome == .performed { performed += 1 }
  }
  say("\(performed)")
}

extension Bank {
  /// One entry in the books, at most once for a serial, whatever process writes it.
  func enterOnce(writer: Int64, serial: Int64) throws -> OnceOutcome? {
    try store.commit { snapshot in
      let entry = try Self.entity("Entry", snapshot.catalogue)
      let insert = RecordChange.insert(
        entity: entry.number, id: RecordIDGenerator.shared.next(),
        fields: [
          try Self.write("writer", .int(writer), entry), try Self.write("serial", .int(serial), entry),
          try Self.write("note", .string("once"), entry),
        ])
      return (SaveRequest(changes: [insert], once: try OnceKey("entry \(serial)")), 0)
    }.0.once
  }
}
