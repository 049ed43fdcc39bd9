/// Keeps the records that share a value with deleted ones, when that value becomes unique.
///
/// Records of one save with one unique value are one, and so are records of devices that did not know of each other
/// (``ClaimPairs``). Before the constraint they were not: the delete of one of two equal records kept the other. So the
/// one that is visible is touched after the delete, and says again what the deleted one said as late or later; what
/// went with the deleted one is deleted by itself, lest it come back with the other. Ordinary changes, as those of
/// ``UniqueMerge`` are.
struct DeletedDuplicates {
  /// As the store is, without the constraint.
  let layout: StoreLayout
  /// The indexes by which records may become one, of the schema with the constraint.
  let indexes: [CatalogueIndex]
  let entity: CatalogueEntity

  /// The changes that keep the visible records: none where no deleted one has a value of theirs. Holds the facts of the
  /// deleted records; reads all records of the entity, twice if some are deleted.
  func survivors(_ snapshot: borrowing StoreSnapshot) throws -> [MigrationWork.Touch] {
    var deleted: [[UInt8]: [RecordFacts]] = [:]
    try snapshot.forEachStoredFacts(of: entity.number) { facts, isVisible in
      guard !isVisible, facts.isInserted else { return }
      for key in keys(of: facts) { deleted[key, default: []].append(facts) }
    }
    guard !deleted.isEmpty else { return [] }
    var touches: [MigrationWork.Touch] = []
    try snapshot.forEachStoredFacts(of: entity.number) { facts, isVisible in
      guard isVisible else { return }
      let others = keys(of: facts).flatMap { deleted[$0] ?? [] }.filter { mayBeOne(facts, $0) }
      guard !others.isEmpty else { return }
      var touch = MigrationWork.Touch(RecordKey(entity: entity.number, id: facts.id))
      touch.saysAgain = contested(facts, others)
      touch.deletedEquals = Set(others.map(\.id)).sorted()
      touches.append(touch)
    }
    return touches
  }

  /// One key for each index, with the index's number before it. A null component holds nothing.
  private func keys(of facts: RecordFacts) -> [[UInt8]] {
    indexes.compactMap { index in
      var key = withUnsafeBytes(of: UInt32(index.number).bigEndian) { [UInt8]($0) }
      return IndexKey.append(index, to: &key) { facts.value(of: entity.fields[$0]) } ? nil : key
    }
  }

  /// The author of the later one knew of the earlier, and meant two, if it wrote the earlier too, in an earlier save.
  private func mayBeOne(_ facts: RecordFacts, _ other: RecordFacts) -> Bool {
    indexes.contains { index in
      let (own, others) = (claim(index, facts), claim(index, other))
      // A default is nobody's claim.
      guard own != .zero, others != .zero else { return false }
      return own == others || own.replica != others.replica
    }
  }

  /// When a record took its value.
  private func claim(_ index: CatalogueIndex, _ facts: RecordFacts) -> Stamp {
    index.components.reduce(.zero) { max($0, facts.register(at: $1.ordinal)?.stamp ?? .zero) }
  }

  /// The fields of which the others know a value as late as the record's own.
  private func contested(_ facts: RecordFacts, _ others: [RecordFacts]) -> [Int] {
    layout.catalogue.entities[entity.number].fields.filter { field in
      guard field.isDeclared else { return false }
      let own = facts.register(at: field.ordinal)
      return others.contains { other in
        guard let register = other.register(at: field.ordinal), register.value != facts.value(of: field) else {
          return false
        }
        return own.map { !register.isOlder(than: $0) } ?? true
      }
    }.map(\.ordinal)
  }
}
