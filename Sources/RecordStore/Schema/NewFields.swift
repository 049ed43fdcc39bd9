/// The fields that a stage of a migration has brought, which it is about to fill.
///
/// Where such a field has a value already, a device that migrated before has written it, and a person may have since:
/// the stage, which knows of neither, leaves it. What the store itself had before a version gave the field up is no
/// such value, unless a device wrote it that was past this stage by then.
struct NewFields: Hashable, Sendable {
  /// The greatest stamp when the migration began.
  let began: Stamp
  /// By entity and ordinal, the greatest stamp when an earlier version gave a field up.
  let gaveUp: [EntityNumber: [Int: Stamp]]
  /// Since when replicas are known to write by versions that were later than the store's.
  let laterWriters: [ReplicaID: [SchemaVersion: Stamp]]
  /// The version to which the stage leads.
  let version: SchemaVersion
  /// By entity.
  let ordinals: [EntityNumber: Set<Int>]

  init(
    from old: Catalogue, to new: Catalogue, began: Stamp, gaveUp: [EntityNumber: [Int: Stamp]],
    laterWriters: [ReplicaID: [SchemaVersion: Stamp]]
  ) {
    self.began = began
    self.gaveUp = gaveUp
    self.laterWriters = laterWriters
    version = new.schemaVersion
    let pairs = new.entities.map { entity -> (EntityNumber, Set<Int>) in
      let known = old.entities.indices.contains(entity.number) ? old.entities[entity.number].fields : []
      let new = entity.fields.filter { field in
        field.isDeclared && !(known.indices.contains(field.ordinal) && known[field.ordinal].isDeclared)
      }
      return (entity.number, Set(new.map(\.ordinal)))
    }
    ordinals = Dictionary(uniqueKeysWithValues: pairs)
  }

  func protects(_ facts: RecordFacts, _ ordinal: Int) -> Bool {
    guard ordinals[facts.entity]?.contains(ordinal) == true, let register = facts.register(at: ordinal),
      register.stamp <= began
    else { return false }
    guard let gaveUp = gaveUp[facts.entity]?[ordinal], register.stamp <= gaveUp else { return true }
    // Its author had this version then, or a later one.
    return laterWriters[register.stamp.replica]?.contains { $0 >= version && $1 <= register.stamp } ?? false
  }
}
