package import LMDB

/// The keys of one index: what a record's entry is, and which keys a range of values covers.
///
/// ```
/// unique, no component null   key = components             value = record id (16 bytes)
/// otherwise                   key = components · record id  value empty
/// ```
/// LMDB's keys end at 511 bytes. Components longer than what is left beside the id are cut and completed by 16 bytes of
/// their SHA-256; see ``IndexKeyLimit``. A cut key keeps equality and the order of its first bytes; a query rechecks
/// the record, and sorts among keys that share these bytes.
///
/// A class: a save looks at it once a record and index, and would count a reference for each of its parts.
package final class IndexKey: Sendable {
  package let index: CatalogueIndex
  /// By themselves: ``index`` is costly to copy.
  let number: Int
  private let isUnique: Bool
  private let limit: IndexKeyLimit
  /// The fields of the components, in their order.
  package let fields: [CatalogueField]
  private let defaults: [FieldValue]
  /// The parts of each field that encoding needs: an element of ``fields`` is costly to copy.
  private let components: [Component]

  private struct Component: Sendable {
    let ordinal: Int
    let type: FieldType
    let isOptional: Bool
    let isDescending: Bool
    let isForPeople: Bool
  }

  /// Traps if the index names a field that the entity does not have: a catalogue is checked when it is read.
  package init(_ index: CatalogueIndex, of entity: CatalogueEntity) {
    self.index = index
    number = index.number
    isUnique = index.isUnique
    limit = index.keyLimit
    fields = index.components.map { entity.fields[$0.ordinal] }
    defaults = fields.map(\.valueWhenAbsent)
    components = index.components.map { component in
      let field = entity.fields[component.ordinal]
      return Component(
        ordinal: component.ordinal, type: field.type, isOptional: field.isOptional,
        isDescending: component.isDescending, isForPeople: component.isForPeople)
    }
  }

  /// Whether a field is part of the key.
  func contains(_ ordinal: Int) -> Bool { components.contains { $0.ordinal == ordinal } }

  /// Fills `encoder` with the key of a record's entry. True: a unique entry, whose value is the record's id.
  /// False: the value is empty.
  package func encode(_ record: RecordView, id: RecordID, into encoder: inout KeyEncoder) -> Bool {
    encoder.removeAll()
    var hasNull = false
    for position in components.indices {
      if append(position, of: record, to: &encoder) { hasNull = true }
    }
    encoder.cut(to: limit)
    guard !isUnique || hasNull else { return true }
    encoder.append(raw: id)
    return false
  }

  /// As `encode`, but neither cut nor completed by the id: the full order of the index.
  package func encodeUncut(_ record: RecordView, into encoder: inout KeyEncoder) {
    encoder.removeAll()
    for position in components.indices { _ = append(position, of: record, to: &encoder) }
  }

  /// The key of a unique entry with these values; nil if one of them is null, for such entries are not unique.
  package static func uniqueKey(_ index: CatalogueIndex, _ values: [FieldValue]) -> [UInt8]? {
    guard index.isUnique, values.count == index.components.count, !values.contains(.null) else { return nil }
    var encoder = KeyEncoder()
    for (value, component) in zip(values, index.components) {
      encoder.append(value, in: component)
    }
    encoder.cut(to: index.keyLimit)
    return encoder.take()
  }

  /// Appends the key bytes of a record whose values are at hand, without the id, and says whether a component
  /// is null. `value` gives what readers see of an ordinal: the default where absent, null for a dangling
  /// reference. For whole records, ``encode(_:id:into:)`` is faster: it reads the encoded bytes.
  package static func append(
    _ index: CatalogueIndex, to key: inout [UInt8], value: (Int) -> FieldValue
  ) -> Bool {
    var encoder = KeyEncoder()
    var hasNull = false
    for component in index.components {
      let value = value(component.ordinal)
      encoder.append(value, in: component)
      if value == .null { hasNull = true }
    }
    encoder.cut(to: index.keyLimit)
    key += encoder.bytes
    return hasNull
  }

  /// The record that an entry names. Throws `damaged` if the entry is too short for one.
  package static func recordID(key: RawBytes, value: RawBytes) throws -> RecordID {
    if let id = RecordID(bytes: value) { return id }
    guard value.count == 0, key.count >= RecordID.byteCount else {
      throw StoreError(.damaged, "an index entry names no record: run tandem check, which can build indexes anew")
    }
    return RecordID(bytes: key, at: key.count - RecordID.byteCount)
  }

  /// Appends a component as readers see the field; true if it is null.
  private func append(_ position: Int, of record: RecordView, to encoder: inout KeyEncoder) -> Bool {
    let component = components[position]
    if let bytes = record.fieldBytes(at: component.ordinal) {
      encoder.append(
        encoded: bytes, type: component.type, isDescending: component.isDescending, isForPeople: component.isForPeople)
      return false
    }
    guard record.isDefaulted(at: component.ordinal, isOptional: component.isOptional) else {
      encoder.append(.null, isDescending: component.isDescending)
      return true
    }
    encoder.append(defaults[position], isDescending: component.isDescending, isForPeople: component.isForPeople)
    return defaults[position] == .null
  }
}

extension KeyEncoder {
  /// Appends a value as a component of an index.
  package mutating func append(_ value: FieldValue, in component: CatalogueIndex.Component) {
    append(value, isDescending: component.isDescending, isForPeople: component.isForPeople)
  }

  /// Keeps a key within LMDB's limit; see ``IndexKey``.
  package mutating func cut(to limit: IndexKeyLimit) {
    guard count > limit.componentByteCount else { return }
    let hash = withRawBytes { StableHash.digest128($0) }
    truncate(to: limit.exactByteCount)
    append(raw: RecordID(high: hash.high, low: hash.low))
  }
}
