/// The facts that a store says again with a new transaction's stamp: what a lost store had written after some stamps,
/// for nobody else has heard of it, and the transactions that said it are gone.
package struct Repetition: Hashable, Sendable {
  /// The last stamp of each of its streams that others have; `zero`: none.
  let after: [ReplicaID: Stamp]
  /// The records that have anything to repeat.
  let records: [RecordKey]

  init(after: [ReplicaID: Stamp], records: [RecordFacts]) {
    self.after = after
    self.records = records.filter { facts in
      facts.stamps.contains { Repetition.isUnsaid($0, after) }
    }.map { RecordKey(entity: $0.entity, id: $0.id) }
  }

  private static func isUnsaid(_ stamp: Stamp, _ after: [ReplicaID: Stamp]) -> Bool {
    after[stamp.replica].map { stamp > $0 } ?? false
  }

  func repeats(_ stamp: Stamp) -> Bool { Repetition.isUnsaid(stamp, after) }
}

extension CommitSession {
  /// Gives the facts that nobody else has this transaction's stamp. Values stay, and so does what others have said.
  func `repeat`(_ repetition: Repetition) throws {
    for key in repetition.records {
      guard let slot = try slot(of: key.id, entity: key.entity) else { continue }
      let before = records[slot].facts
      let said = try restatable(before, of: slot)
      changeFacts(of: slot) { facts in
        for register in said.registers where repetition.repeats(register.stamp) {
          facts.set(register.value, at: register.ordinal, stamp: stamp)
        }
        if let deleted = before.deleted, deleted >= before.life ?? .zero {
          if repetition.repeats(deleted) { facts.deleted = stamp }
        } else if let life = before.life, repetition.repeats(life) {
          facts.touch = stamp
        }
      }
      // A register that others have came with the insert, or after it. One without a stamp is a migration's.
      records[slot].isInsertedHere =
        before.isInserted && before.registers.allSatisfy { $0.stamp == .zero || repetition.repeats($0.stamp) }
      try follow(slot, before: before)
    }
  }
}
