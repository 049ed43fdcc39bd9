import LMDB

/// The entities whose index entries may have been made of the names of large values: an index was added while values
/// were awaited, or a value's file got lost. The entries are made anew once values have come.
///
/// The attachment `keys/provisional`: state u8 (1 values are awaited, 2 some have come since) · number u32 of each
/// entity.
package struct ProvisionalKeys: Hashable, Sendable {
  private static let key = Array("keys/provisional".utf8)

  var entities: Set<EntityNumber>
  /// Whether values have come, or are awaited no more, since the entries were made.
  package var isDue: Bool

  init(_ entities: Set<EntityNumber>) { (self.entities, isDue) = (entities, false) }

  /// Nil where there are none.
  package init?(_ snapshot: borrowing StoreSnapshot) throws {
    guard let bytes = try snapshot.attachment(Self.key) else { return nil }
    guard bytes.count % 4 == 1, (1...2).contains(bytes[0]) else {
      throw StoreError(
        .damaged, "the note of provisional index entries is damaged: restore the store from a copy or by sync")
    }
    isDue = bytes[0] == 2
    entities = bytes.withRawBytes { bytes in
      Set(stride(from: 1, to: bytes.count, by: 4).map { EntityNumber(bytes.load(at: $0, as: UInt32.self)) })
    }
  }

  func including(_ more: [EntityNumber]) -> ProvisionalKeys {
    var all = self
    all.entities.formUnion(more)
    return all
  }

  private var bytes: [UInt8] {
    [UInt8](byteCount: 1 + 4 * entities.count) { writer in
      writer.write(UInt8(isDue ? 2 : 1))
      for entity in entities.sorted() { writer.write(UInt32(entity)) }
    }
  }

  /// To be written in the commit that notes that files of values got lost (`isLoss`: entries that are made from now on
  /// may be made of their names), or that values have come or are awaited no more (`isDue`). Nil: nothing is to be
  /// written.
  package static func note(
    isLoss: Bool, isDue: Bool, in snapshot: borrowing StoreSnapshot
  ) throws -> StoreAttachment? {
    let known = try ProvisionalKeys(snapshot)
    var keys = known ?? ProvisionalKeys([])
    if isLoss { keys.entities.formUnion(snapshot.catalogue.entitiesWithIndexedData) }
    if isDue { keys.isDue = true }
    return keys.entities.isEmpty || keys == known ? nil : StoreAttachment(key: key, value: keys.bytes)
  }

  func write(_ layout: StoreLayout, in transaction: borrowing WriteTransaction) throws {
    try transaction.put(layout.databases.attachments, key: Self.key, value: bytes)
  }

  static func remove(_ layout: StoreLayout, in transaction: borrowing WriteTransaction) throws {
    try transaction.delete(layout.databases.attachments, key: key)
  }
}

extension Catalogue {
  /// The entities with an index over a field that may hold a large value.
  var entitiesWithIndexedData: Set<EntityNumber> {
    Set(entities.filter { entity in entity.indexes.contains { $0.isOverData(of: entity) } }.map(\.number))
  }
}

extension CatalogueIndex {
  func isOverData(of entity: CatalogueEntity) -> Bool {
    components.contains { entity.fields[$0.ordinal].type == .data }
  }
}
