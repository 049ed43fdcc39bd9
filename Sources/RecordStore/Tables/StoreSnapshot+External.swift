import Foundation
import LMDB

// Values that lie beside the store, in the place of the references that the tables hold.
extension StoreSnapshot {
  /// Throws `damaged` where a value's file is missing; the sentence names the record and the field.
  func withValues(_ facts: RecordFacts) throws -> RecordFacts {
    guard layout.catalogue.hasExternalValues else { return facts }
    var resolved = facts
    for index in facts.registers.indices {
      guard let value = facts.registers[index].value.resolved else {
        throw missing(facts.registers[index].value, facts.registers[index].ordinal, of: facts.id, facts.entity)
      }
      resolved.registers[index].value = value
    }
    return resolved
  }

  /// Throws as ``withValues(_:)-(RecordFacts)`` does, if a value of these fields is missing, or of any field. Costs a
  /// look at each file that the record names there, and nothing in a store without such values.
  package func requireValues(of row: QueryRow, at ordinals: Set<Int>? = nil) throws {
    guard layout.catalogue.hasExternalValues else { return }
    for ordinal in layout.dataOrdinals[row.entity] where ordinals?.contains(ordinal) ?? true {
      guard let payload = row.view.fieldBytes(at: ordinal), ExternalReference.isOne(payload) else { continue }
      guard let reference = ExternalReference(payload: payload), ExternalFolders.has(reference) else {
        throw missing(.data(Data(payload.buffer)), ordinal, of: row.id, row.entity)
      }
    }
  }

  /// As ``record(_:of:)``, for callers that need no values: one that is not on this device reads as null, and
  /// ``RecordImage/isMissing(_:)`` tells.
  package func image(_ id: RecordID, of entity: EntityNumber) throws -> RecordImage? {
    try row(id, of: entity).map { try $0.image() }
  }

  func withValues(_ transaction: HistoryTransaction) -> HistoryTransaction {
    guard layout.catalogue.hasExternalValues else { return transaction }
    var resolved = transaction
    resolved.changes = transaction.changes.map { $0.resolved() }
    return resolved
  }

  /// A transaction of this store with the values themselves in the place of references. Throws `damaged` where one is
  /// missing.
  package func withValues(_ encoded: [UInt8]) throws -> [UInt8] {
    guard layout.catalogue.hasExternalValues else { return encoded }
    return try TransactionCodec.replacingPayloads(of: encoded) { record, ordinal, payload in
      guard ExternalReference.isOne(payload), layout.dataOrdinals[record.entity].contains(ordinal) else { return nil }
      guard let value = ExternalFolders.content(of: payload) else {
        throw missing(.data(Data(payload.buffer)), ordinal, of: record.id, record.entity)
      }
      return [UInt8](value)
    }
  }

  /// The large values to which a transaction of this store refers.
  package func references(of encoded: [UInt8]) throws -> Set<ExternalReference> {
    var found: Set<ExternalReference> = []
    guard layout.catalogue.hasExternalValues else { return found }
    _ = try TransactionCodec.replacingPayloads(of: encoded) { record, ordinal, payload in
      guard ExternalReference.isOne(payload), layout.dataOrdinals[record.entity].contains(ordinal),
        let reference = ExternalReference(payload: payload)
      else { return nil }
      found.insert(reference)
      return nil
    }
    return found
  }

  private func missing(
    _ value: FieldValue, _ ordinal: Int, of id: RecordID, _ entity: EntityNumber
  ) -> StoreError {
    if let trouble = ExternalReference(stored: value).flatMap(ExternalFolders.trouble) { return trouble }
    let definition = layout.catalogue.entities[entity]
    return StoreError(
      .damaged,
      "the value of \(definition.fields[ordinal].name) of \(definition.name) \(id) is not on this device, where it "
        + "lies in a file beside the store: synchronise with a device that has it, or restore the store from a copy")
  }
}

// In reports of what a commit did and what history kept, a value whose file is gone reads as null: an error would come
// too late to be of use.
extension FieldWrite {
  func resolved() -> FieldWrite { FieldWrite(ordinal, value.resolved ?? .null) }
}

extension HistoryChange {
  func resolved() -> HistoryChange {
    guard !preserved.isEmpty else { return self }
    var resolved = self
    resolved.preserved = preserved.map { $0.resolved() }
    return resolved
  }
}
