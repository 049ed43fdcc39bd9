import LMDB

/// The records at the other end of a relationship that pass a filter, found through the index over the
/// references that make the relationship; through a scan of their holders where there is no such index.
final class RelatedRecords {
  /// One table that may hold related records, with the filter compiled for it.
  struct Table {
    let entity: CatalogueEntity
    let filter: FilterNode
  }

  private let source: QuerySource
  private let storage: Storage
  /// Whether every related record passes, so that none needs to be read.
  private let passesAll: Bool
  private let tables: [Table]
  private var encoder = KeyEncoder()

  private enum Storage {
    /// This record's own reference.
    case reference(FieldReader)
    /// References of other records to this one.
    case holders([Holder])
    /// Join records that refer to this one; the related record is at their far end.
    case join(Holder, far: FieldReader)
  }

  /// An entity with a reference, and the index that begins with it.
  private struct Holder {
    let entity: CatalogueEntity
    let ordinal: Int
    let reader: FieldReader
    let index: (database: Database, isDescending: Bool)?
  }

  init(
    _ relationship: CatalogueRelationship, of entity: CatalogueEntity, filter: RecordFilter, in source: QuerySource
  ) throws {
    self.source = source
    passesAll = filter == .all
    guard let destination = source.catalogue.entity(named: relationship.destination) else {
      throw StoreError(
        .invalidRequest, "the query names the relationship '\(relationship.name)', whose destination is unknown")
    }
    switch relationship.storage {
    case .reference(let ordinal):
      storage = .reference(FieldReader(entity.fields[ordinal], in: entity))
    case .inverse(let number, let ordinal):
      let owner = try source.entity(number)
      storage = .holders(
        try source.family(of: owner).map { try Self.holder(owner.fields[ordinal], in: $0, source) })
    case .join(let number, let near, let far):
      let join = try source.entity(number)
      storage = .join(
        try Self.holder(join.fields[near], in: join, source), far: FieldReader(join.fields[far], in: join))
    }
    tables = try source.family(of: destination).map { target in
      Table(
        entity: target,
        filter: try FilterCompiler(source: source, base: destination, entity: target).compile(filter))
    }
  }

  private static func holder(
    _ field: CatalogueField, in entity: CatalogueEntity, _ source: QuerySource
  ) throws -> Holder {
    let ordinal = entity.field(named: field.name)?.ordinal ?? -1
    let index = entity.indexes.first { $0.components.first?.ordinal == ordinal }
    return Holder(
      entity: entity, ordinal: ordinal, reader: FieldReader(field, in: entity),
      index: try index.map { (try source.index($0.number), $0.components[0].isDescending) })
  }

  /// Calls `body` once for each related record that passes, until it returns false.
  func forEach(of row: QueryRow, _ body: () throws -> Bool) throws {
    switch storage {
    case .reference(let reader):
      guard let id = reader.bytes(in: row.view).flatMap({ RecordID(bytes: $0) }) else { return }
      if try passesAll || passes(id) { _ = try body() }
    case .holders(let holders):
      for holder in holders {
        let goesOn = try forEachHolder(holder, of: row.id) { id, bytes in
          guard try passesAll || passes(id, of: holder.entity, bytes) else { return true }
          return try body()
        }
        guard goesOn else { return }
      }
    case .join(let holder, let far):
      _ = try forEachHolder(holder, of: row.id) { id, bytes in
        guard !passesAll else { return try body() }
        guard let record = try bytes ?? source.record(id, of: holder.entity.number),
          let target = far.bytes(in: RecordView(record)).flatMap({ RecordID(bytes: $0) }), try passes(target)
        else { return true }
        return try body()
      }
    }
  }

  /// The records of `holder` that refer to `id`, with their bytes where they are at hand. False: `body` stopped.
  private func forEachHolder(
    _ holder: Holder, of id: RecordID, _ body: (RecordID, RawBytes?) throws -> Bool
  ) throws -> Bool {
    guard let index = holder.index else { return try scan(holder, for: id, body) }
    encoder.removeAll()
    encoder.append(.reference(id), isDescending: index.isDescending)
    return try encoder.withRawBytes { (prefix: RawBytes) throws -> Bool in
      var cursor = try source.transaction.cursor(index.database)
      var next = try cursor.seek(prefix)
      while let entry = next, entry.key.hasPrefix(prefix) {
        guard try body(try IndexKey.recordID(key: entry.key, value: entry.value), nil) else { return false }
        next = try cursor.next()
      }
      return true
    }
  }

  private func scan(
    _ holder: Holder, for id: RecordID, _ body: (RecordID, RawBytes?) throws -> Bool
  ) throws -> Bool {
    var cursor = try source.transaction.cursor(source.records[holder.entity.number])
    while let entry = try cursor.next() {
      guard let holderID = RecordID(bytes: entry.key) else {
        throw StoreError.damaged(tableOf: holder.entity, "a key of its table")
      }
      let reference = holder.reader.bytes(in: RecordView(entry.value)).flatMap { RecordID(bytes: $0) }
      guard reference == id else { continue }
      guard try body(holderID, entry.value) else { return false }
    }
    return true
  }

  /// Whether a record at the far end of a reference passes; it may be of the destination or of an inheriting entity.
  private func passes(_ id: RecordID) throws -> Bool {
    for table in tables {
      guard let bytes = try source.record(id, of: table.entity.number) else { continue }
      return try table.filter.passes(QueryRow(id: id, entity: table.entity.number, bytes: bytes))
    }
    return false
  }

  private func passes(_ id: RecordID, of entity: CatalogueEntity, _ bytes: RawBytes?) throws -> Bool {
    guard let table = tables.first(where: { $0.entity.number == entity.number }) else { return try passes(id) }
    guard let bytes = try bytes ?? source.record(id, of: entity.number) else {
      throw StoreError.damaged(tableOf: entity, "an index over references names a record that is not there")
    }
    return try table.filter.passes(QueryRow(id: id, entity: entity.number, bytes: bytes))
  }
}
