import LMDB

extension DraftLayout {
  /// Sets `written` to the fields whose bytes differ, and `forReaders` to those of them that differ for readers: a
  /// value that is equal, or itself, does not. The caller keeps both lists, which spares two allocations a record.
  func findDifferences(
    _ old: RecordView, _ new: RecordView, written: inout [Int], forReaders: inout [Int]
  ) {
    written.removeAll(keepingCapacity: true)
    forReaders.removeAll(keepingCapacity: true)
    for ordinal in 0..<fieldCount {
      let (before, after) = (old.fieldBytes(at: ordinal), new.fieldBytes(at: ordinal))
      if let before, let after {
        if before == after { continue }
      } else if before == nil, after == nil, old.flags(at: ordinal) == new.flags(at: ordinal) {
        continue
      }
      written.append(ordinal)
      if isDifferent(before, after, old, new, ordinal) { forReaders.append(ordinal) }
    }
  }

  private func isDifferent(
    _ before: RawBytes?, _ after: RawBytes?, _ old: RecordView, _ new: RecordView, _ ordinal: Int
  ) -> Bool {
    if let before, let after, types[ordinal] == .string, before.isNormalizedPlainly, after.isNormalizedPlainly {
      return true
    }
    let (left, right) = (value(in: old, ordinal), value(in: new, ordinal))
    return left != right && !left.isIdentical(asStored: right)
  }

  private func value(in record: RecordView, _ ordinal: Int) -> FieldValue {
    let isAbsent = record.isDefaulted(at: ordinal, isOptional: isOptional[ordinal])
    return isAbsent ? absent[ordinal] : record.storedValue(at: ordinal, type: types[ordinal])
  }
}
