import RecordStore

/// The lines of a dump that tell of alias classes: none in a store without them whose unique values never changed
/// and that never met another replica.
struct ClassLines {
  private(set) var lines: [String] = []

  init(_ snapshot: borrowing StoreSnapshot) throws {
    let catalogue = snapshot.catalogue
    for entity in catalogue.entities {
      try snapshot.forEachOriginal(of: entity.number) { facts, _ in
        let record = RecordLine(facts, entity: entity, isVisible: false)
        lines.append(JSON.object([.init("written", record.json)]).description)
      }
    }
    try snapshot.forEachPastWrite { lines.append(PastLine($0, in: catalogue).json.description) }
    guard catalogue.entities.contains(where: { $0.indexes.contains(where: \.isUnique) }) else { return }
    // Each write of one replica knew all before it.
    guard try snapshot.versionVector.entries.count > 1 else { return }
    lines += try snapshot.causalContexts().map { ContextLine($0).json.description }
  }
}
