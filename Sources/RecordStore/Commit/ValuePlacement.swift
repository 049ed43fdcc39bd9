import Foundation
import LMDB

/// Brings the large values of a request to their places beside the store, and puts references where they stood.
///
/// Large is a value of a field that is stored externally: of a save, from the size on that the store's configuration
/// names; of what was saved elsewhere, from ``ExternalReference/canonicalByteCount`` on, for a smaller one keeps the
/// form that its save gave it. What looks like a reference goes the same way whatever its field and size, so no value
/// of an app can be taken for one. Costs a look at each value of type `data` of the request; a value that is placed is
/// read twice and written once, in pieces.
///
/// Everything happens before the records are written, so that a commit names files that are on the device. A save may
/// place its values before it waits for its turn: then ``confirm()`` looks again whether they are there, for another
/// process may have cleared them away meanwhile.
struct ValuePlacement {
  private let layout: StoreLayout
  /// Nil for a store in memory, whose values stay in the records.
  private let folder: ExternalFolder?
  private let milliseconds: UInt64
  /// From so many bytes on a value of a save of this store's own is large.
  private let ownLeastByteCount: Int
  /// As ``ownLeastByteCount``, of the work at hand.
  private var leastByteCount = ExternalReference.canonicalByteCount
  /// The values that have been placed.
  private(set) var values: [ExternalReference: Data] = [:]
  /// Whether what looks like a reference in the work at hand is one, whose value is here or will come.
  var holdsReferences = false
  /// Whether the work names values that it does not bring.
  var namesValues = false

  init(
    _ layout: StoreLayout, _ folder: ExternalFolder?, savesFromByteCount ownLeastByteCount: Int,
    atMilliseconds milliseconds: UInt64
  ) {
    self.layout = layout
    self.folder = folder
    self.milliseconds = milliseconds
    self.ownLeastByteCount = ownLeastByteCount
  }

  var isEmpty: Bool { values.isEmpty }
  var byteCount: Int { values.keys.valueByteCount }

  /// Makes sure that all values are there that were placed.
  func confirm() throws {
    for (reference, value) in values { try folder?.place(value, as: reference, atMilliseconds: milliseconds) }
  }

  /// The layout that says to other processes that records name such values from now on.
  func announced(in layout: StoreLayout, _ transaction: borrowing WriteTransaction) throws -> StoreLayout {
    guard !isEmpty || namesValues, !layout.catalogue.hasExternalValues else { return layout }
    var catalogue = layout.catalogue
    catalogue.generation += 1
    catalogue.hasExternalValues = true
    return try StoreLayout.create(catalogue, in: transaction)
  }
}

// Values.
extension ValuePlacement {
  /// The reference that stands for a value; nil for one that stays.
  private mutating func reference(
    for value: FieldValue, _ entity: EntityNumber, _ ordinal: Int
  ) throws -> FieldValue? {
    guard case .data(let data) = value else { return nil }
    return try reference(for: data, entity, ordinal).map { .data(Data($0.payload)) }
  }

  private mutating func reference(
    for value: Data, _ entity: EntityNumber, _ ordinal: Int
  ) throws -> ExternalReference? {
    guard try isPlaced(value, entity, ordinal), let folder, let reference = ExternalReference(of: value) else {
      return nil
    }
    try folder.place(value, as: reference, atMilliseconds: milliseconds)
    values[reference] = value
    return reference
  }

  private func isPlaced(_ value: Data, _ entity: EntityNumber, _ ordinal: Int) throws -> Bool {
    if value.count == ExternalReference.byteCount, value.withUnsafeBytes({ ExternalReference.isOne(RawBytes($0)) }) {
      guard folder != nil else {
        throw StoreError(
          .invalidRequest,
          "a value begins with the sixteen bytes by which the store knows references to files: a store in memory "
            + "cannot hold it")
      }
      return !holdsReferences
    }
    guard value.count >= leastByteCount, layout.keepsApart.indices.contains(entity),
      layout.keepsApart[entity].indices.contains(ordinal)
    else { return false }
    return layout.keepsApart[entity][ordinal]
  }

  private mutating func place(_ writes: inout [FieldWrite], of entity: EntityNumber) throws {
    for index in writes.indices {
      if let reference = try reference(for: writes[index].value, entity, writes[index].ordinal) {
        writes[index].value = reference
      }
    }
  }

  /// The value that a reference names, for a field in the key of an index: such values stay in the record. Nil for all
  /// other fields and values.
  private func valueOfKey(_ payload: RawBytes, _ entity: EntityNumber, _ ordinal: Int) throws -> Data? {
    guard holdsReferences, let reference = ExternalReference(payload: payload),
      layout.catalogue.isInIndex(ordinal, of: entity)
    else { return nil }
    guard let value = folder?.data(of: reference) else {
      throw StoreError(
        .invalidRequest,
        "the large value \(reference.name), of an attribute that is in an index here, has not come yet: merge again "
          + "when it has")
    }
    return value
  }

  /// As ``place(_:)-([RecordFacts])``, of a dump's facts: it tells values and not where they lay, so they are placed as
  /// those of a save.
  mutating func placeAsSaved(_ records: inout [RecordFacts]) throws {
    leastByteCount = ownLeastByteCount
    try place(&records)
  }

  /// Places the values of another store's facts.
  mutating func place(_ records: inout [RecordFacts]) throws {
    guard layout.hasDataFields else { return }
    for index in records.indices {
      for place in records[index].registers.indices {
        let register = records[index].registers[place]
        if holdsReferences, case .data(let data) = register.value,
          let value = try data.withUnsafeBytes({
            try valueOfKey(RawBytes($0), records[index].entity, register.ordinal)
          })
        {
          records[index].registers[place].value = .data(value)
          continue
        }
        if let reference = try reference(for: register.value, records[index].entity, register.ordinal) {
          records[index].registers[place].value = reference
        }
      }
    }
  }
}

// Requests.
extension ValuePlacement {
  /// Places the values of a request.
  mutating func place(_ request: inout SaveRequest) throws {
    if case .merge(let work) = request.work, let arrivals = work.encoded { try takeNames(of: arrivals) }
    guard layout.hasDataFields else { return }
    holdsReferences = request.holdsReferences
    switch request.work {
    case .save(var work):
      try place(&work)
      request.work = .save(work)
    case .migration(var work):
      try place(&work.save)
      request.work = .migration(work)
    case .merge(var work):
      try place(&work)
      request.work = .merge(work)
    // Repairs name records, and no values.
    case .maintenance: break
    }
  }

  private mutating func place(_ work: inout LocalWork) throws {
    leastByteCount = ownLeastByteCount
    if try hasPlaced(work.drafts) || hasPlaced(work.edits) {
      // A rare case takes the general way; the order stays.
      work.changes += work.edits.changes + work.drafts.changes
      (work.edits, work.drafts) = (RecordEdits(), RecordDrafts())
    }
    for index in work.changes.indices {
      switch work.changes[index] {
      case .insert(let entity, let id, var fields):
        guard try has(fields[...], of: entity) else { continue }
        try place(&fields, of: entity)
        work.changes[index] = .insert(entity: entity, id: id, fields: fields)
      case .update(let entity, let id, var fields):
        guard try has(fields[...], of: entity) else { continue }
        try place(&fields, of: entity)
        work.changes[index] = .update(entity: entity, id: id, fields: fields)
      case .delete, .link: continue
      }
    }
  }

  /// Whether one of some values is to be placed.
  private func has(_ fields: ArraySlice<FieldWrite>, of entity: EntityNumber) throws -> Bool {
    try fields.contains { write in
      guard case .data(let value) = write.value else { return false }
      return try isPlaced(value, entity, write.ordinal)
    }
  }

  private func hasPlaced(_ edits: RecordEdits) throws -> Bool {
    try edits.entries.indices.contains { try has(edits.writes(of: $0), of: edits.entries[$0].entity) }
  }

  private func hasPlaced(_ drafts: RecordDrafts) throws -> Bool {
    guard drafts.layouts.keys.contains(where: { !dataOrdinals(of: $0).isEmpty }) else { return false }
    return try drafts.entries.contains { entry in
      let entity = EntityNumber(entry.entity)
      let record = RecordView(entry.bytes)
      return try dataOrdinals(of: entity).contains { ordinal in
        guard let payload = record.fieldBytes(at: ordinal),
          payload.count >= leastByteCount || ExternalReference.isOne(payload)
        else { return false }
        return try isPlaced(Data(payload.buffer), entity, ordinal)
      }
    }
  }

  private func dataOrdinals(of entity: EntityNumber) -> [Int] {
    layout.dataOrdinals.indices.contains(entity) ? layout.dataOrdinals[entity] : []
  }

  private mutating func takeNames(of arrivals: EncodedArrivals) throws {
    guard arrivals.transactions.contains(where: { !$0.references.isEmpty }) else { return }
    guard folder != nil else {
      throw StoreError(
        .invalidRequest,
        "a store in memory cannot take values that lie in files: synchronise a store that lies in a directory")
    }
    namesValues = true
  }

  private mutating func place(_ work: inout MergeWork) throws {
    switch work.records {
    case .facts(var facts):
      try place(&facts)
      work.records = .facts(facts)
    case .encoded(var arrivals):
      for index in arrivals.transactions.indices {
        let entities = arrivals.entities
        holdsReferences = arrivals.transactions[index].holdsReferences
        try arrivals.transactions[index].replacePayloads { record, ordinal, payload in
          guard entities.indices.contains(record.entity), let entity = entities[record.entity],
            entity.ordinals.indices.contains(ordinal), let local = entity.ordinals[ordinal],
            dataOrdinals(of: entity.number).contains(local)
          else { return nil }
          if let value = try valueOfKey(payload, entity.number, local) { return [UInt8](value) }
          // One that stays need not be copied.
          guard payload.count >= leastByteCount || ExternalReference.isOne(payload) else { return nil }
          return try reference(for: Data(payload.buffer), entity.number, local)?.payload
        }
      }
      work.records = .encoded(arrivals)
    }
  }
}
