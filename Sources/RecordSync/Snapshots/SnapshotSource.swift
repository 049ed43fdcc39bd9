import RecordStore

/// A store's contents for a snapshot, item by item: the small ones are in memory, and one record.
///
/// Records of which others speak come first, so that a store that joins finds the targets of references there. Own
/// contexts, which only history has, are written out.
struct SnapshotSource {
  /// All but the records.
  var rest: SnapshotContent
  private let isCounted: (Stamp) -> Bool
  private let entities: [EntityNumber]

  init(_ snapshot: borrowing StoreSnapshot) throws {
    var rest = SnapshotContent()
    try snapshot.forEachGivenAlias { rest.aliases[$0] = $1 }
    try snapshot.forEachPastWrite { rest.pastWrites.append($0) }
    try snapshot.forEachOnceEntry { rest.once.append($0) }
    rest.contexts = try snapshot.causalContexts()
    rest.attachments = try snapshot.forkedStreams.momentAttachments
    for prefix in SnapshotContent.carried where prefix != ForkedStreams.momentPrefix {
      try snapshot.forEachAttachment(prefix: prefix) { key, value in
        rest.attachments.append(StoreAttachment(key: key, value: value))
        return true
      }
    }
    var contexts = CausalContexts(own: ReplicaID(0))
    let own = try snapshot.replica
    try snapshot.forEachOutgoing(after: 0) { transaction in
      let context = try snapshot.context(of: transaction.dot) ?? VersionVector()
      rest.attachments += contexts.note(
        TransactionFacts(
          dot: Dot(replica: own, sequence: transaction.dot.sequence), stamp: transaction.stamp, author: nil,
          context: context, records: []))
      return true
    }
    // Facts that the store had written itself and never exported, and overwritten since, stay its own.
    let isCounted = rest.isCounted(by: try snapshot.versionVector)
    rest.pastWrites.removeAll { !isCounted($0.write.stamp) }
    rest.contexts.removeAll { !isCounted($0.since) }
    (self.rest, self.isCounted) = (rest, isCounted)
    entities = SnapshotSource.order(of: snapshot.catalogue)
  }

  /// An entity stands behind those to which its references lead, as far as they lead in no circle.
  private static func order(of catalogue: Catalogue) -> [EntityNumber] {
    var order: [EntityNumber] = []
    var reached: Set<EntityNumber> = []
    func reach(_ entity: CatalogueEntity) {
      guard reached.insert(entity.number).inserted else { return }
      for field in entity.fields {
        if let destination = field.destination.flatMap({ catalogue.entity(named: $0) }) { reach(destination) }
      }
      order.append(entity.number)
    }
    for entity in catalogue.entities { reach(entity) }
    return order
  }

  /// The chunks into which the payload falls, and the large values that it names; nil as long as the store has values
  /// of transactions that it does not count: a salvaged one, until it has read all streams anew. Costs a pass over the
  /// store.
  func chunks(
    in snapshot: borrowing StoreSnapshot
  ) throws -> (chunks: [SnapshotManifest.Chunk], references: Set<ExternalReference>)? {
    var chunks: [SnapshotManifest.Chunk] = []
    var references = try rest.references
    let isTellable = try forEachChunk(in: snapshot, meeting: { references.formUnion($0.references) }) { contents, _ in
      chunks.append(SnapshotManifest.Chunk(byteCount: contents.count, hash: ContentHash(of: contents)))
    }
    return isTellable ? (chunks, references) : nil
  }

  /// Makes the payload, chunk by chunk; false, and too early an end, where the store cannot tell what it has. The same
  /// each time.
  @discardableResult
  func forEachChunk(
    in snapshot: borrowing StoreSnapshot, meeting: (RecordFacts) -> Void = { _ in }, _ body: SnapshotCutter.Take
  ) throws -> Bool {
    var cutter = SnapshotCutter()
    try rest.forEachItem { try cutter.put($0, body) }
    do {
      for entity in entities {
        var written: [RecordID: [RecordFacts]] = [:]
        try snapshot.forEachStoredOriginal(of: entity) { facts, row in written[row, default: []].append(facts) }
        try snapshot.forEachStoredFacts(of: entity) { facts, _ in
          for var record in written[facts.id] ?? [facts] {
            // A default that a migration has kept for records without a value is no transaction's word.
            record.registers.removeAll { $0.stamp == .zero }
            guard record.registers.allSatisfy({ isCounted($0.stamp) }) else { throw Uncounted() }
            meeting(record)
            try cutter.put(SnapshotContent.item(of: record), body)
          }
        }
      }
    } catch is Uncounted {
      return false
    }
    try cutter.end(body)
    return true
  }

  private struct Uncounted: Error {}
}
