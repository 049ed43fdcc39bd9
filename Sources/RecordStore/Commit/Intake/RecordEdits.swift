/// New values of fields of many stored records, one after another: a save of many makes two arrays, and none per
/// record.
package struct RecordEdits: Hashable, Sendable {
  struct Entry: Hashable {
    let entity: EntityNumber
    let id: RecordID
    /// Where its writes end, and those of the next one begin.
    let end: Int
  }

  private(set) var entries: [Entry] = []
  private(set) var writes: [FieldWrite] = []

  package init() {}

  package var isEmpty: Bool { entries.isEmpty }

  /// A field of the record that is named next, by ``end(_:_:)``.
  package mutating func append(_ write: FieldWrite) { writes.append(write) }

  /// The record whose fields were appended since the last one; none without any.
  package mutating func end(_ entity: EntityNumber, _ id: RecordID) {
    guard writes.count > entries.last?.end ?? 0 else { return }
    entries.append(Entry(entity: entity, id: id, end: writes.count))
  }

  /// The writes of the entry at a place.
  func writes(of index: Int) -> ArraySlice<FieldWrite> {
    writes[(index > 0 ? entries[index - 1].end : 0)..<entries[index].end]
  }

  /// The same as changes of a request.
  var changes: [RecordChange] { entries.indices.map(change) }

  func change(at index: Int) -> RecordChange {
    .update(entity: entries[index].entity, id: entries[index].id, fields: Array(writes(of: index)))
  }
}
