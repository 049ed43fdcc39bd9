/// The fields that a stage of a migration has brought, which it is about to fill.
///
/// Where such a field has a value already, a device that migrated before has written it, and a person may have since:
/// the stage, which knows of neither, leaves it. What the store itself had before it went back to an older version, or
/// before a version gave the field up, is no such value.
struct NewFields: Hashable, Sendable {
  /// The greatest stamp when the migration began.
  let began: Stamp
  /// The greatest stamp when the store last went back, if it did.
  let wentBack: Stamp?
  /// By entity and ordinal, the greatest stamp when an earlier version gave a field up.
  let gaveUp: [EntityNumber: [Int: Stamp]]
  /// By entity.
  let ordinals: [EntityNumber: Set<Int>]

  init(
    from old: Catalogue, to new: Catalogue, began: Stamp, wentBack: Stamp?, gaveUp: [EntityNumber: [Int: Stamp]]
  ) {
    self.began = began
    self.wentBack = wentBack
    self.gaveUp = gaveUp
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
    guard ordinals[facts.entity]?.contains(ordinal) == true, let register = facts.register(at: ordinal) else {
      return false
    }
    let own = [wentBack, gaveUp[facts.entity]?[ordinal]].compactMap(\.self).max()
    return register.stamp <= began && own.map { register.stamp > $0 } ?? true
  }
}
