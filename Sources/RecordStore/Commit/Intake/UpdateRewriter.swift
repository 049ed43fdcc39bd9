import LMDB

/// Rewrites known records with new values of attributes that no rule concerns. Kept and used again: its memory serves
/// the next record.
struct UpdateRewriter {
  enum Outcome {
    /// The rules must look: at a value of another type, a record with more than this can write.
    case unusual
    /// The record has the values already.
    case unchanged
    /// The newest of the drafts is the record. `writes`: what differs from what it has.
    case rewritten(writes: ArraySlice<FieldWrite>)
  }

  /// The fields that the last rewriting changed for readers: often those of the next.
  private(set) var changedFields: [Int] = []
  /// Whether it changed any.
  var isSeen: Bool { differences.contains(.forReaders) }
  private var rewrite = RecordRewrite()
  /// The differences of the fields at hand.
  private var differences: [DraftLayout.Difference] = []

  /// Adds a record with new values to `records`. `row`: the record as it lies in its table.
  mutating func update(
    _ row: RawBytes, _ id: RecordID, _ rules: EntityRules, _ fields: ArraySlice<FieldWrite>, stamp: Stamp,
    into records: inout RecordDrafts
  ) -> Outcome {
    // The rules tell what is wrong with a damaged record.
    do { try RecordFormat.check(row, id: id, entity: rules.entity.number) } catch { return .unusual }
    let old = RecordView(row)
    guard RecordRewrite.isPossible(old) else { return .unusual }
    compare(old, with: fields, rules.draft)
    guard differences.contains(where: { $0 != .none }) else { return .unchanged }
    let writes =
      differences.contains(.none) ? zip(fields, differences).filter { $1 != .none }.map(\.0)[...] : fields
    guard rewrite.rewrite(old, id: id, rules.draft, writes, stamp: stamp, into: &records) else { return .unusual }
    if isSeen { noteFields(fields) }
    return .rewritten(writes: writes)
  }

  /// Fills ``differences``, whose memory mostly fits: a save sets the same attributes of many objects.
  private mutating func compare(_ old: RecordView, with fields: ArraySlice<FieldWrite>, _ draft: DraftLayout) {
    if differences.count != fields.count { differences = fields.map { _ in .none } }
    for place in differences.indices {
      differences[place] = draft.difference(between: old, and: fields[fields.startIndex + place])
    }
  }

  /// A save that sets one attribute of many records names it once.
  private mutating func noteFields(_ fields: ArraySlice<FieldWrite>) {
    let start = fields.startIndex
    var count = 0
    for place in differences.indices where differences[place] == .forReaders {
      if count < changedFields.count, changedFields[count] != fields[start + place].ordinal { break }
      count += 1
    }
    if count == changedFields.count { return }
    changedFields = differences.indices.compactMap {
      differences[$0] == .forReaders ? fields[start + $0].ordinal : nil
    }
  }
}

extension EntityRules {
  /// Whether some fields may take these values without a question to any rule.
  func takesPlainly(_ writes: ArraySlice<FieldWrite>) -> Bool {
    var last = -1
    for write in writes {
      let ordinal = write.ordinal
      guard ordinal > last, ordinal < isPlain.count, isPlain[ordinal] else { return false }
      guard write.value.type.map({ $0 == draft.types[ordinal] }) ?? draft.isOptional[ordinal] else { return false }
      last = ordinal
    }
    return true
  }
}

extension DraftLayout {
  fileprivate enum Difference {
    case none
    /// Other bits, which are equal as values are compared: nothing that a reader of history is told.
    case inBits
    case forReaders
  }

  /// The change that a write would make to what readers see of a field.
  fileprivate func difference(between old: RecordView, and write: FieldWrite) -> Difference {
    let ordinal = write.ordinal
    // Texts are compared where they lie.
    if case .string(let text) = write.value, let bytes = old.fieldBytes(at: ordinal) {
      if text.withRawBytes({ $0 == bytes }) { return .none }
      return text.isEqual(toEncoded: bytes) ? .inBits : .forReaders
    }
    let isAbsent = old.isDefaulted(at: ordinal, isOptional: isOptional[ordinal])
    let value = isAbsent ? absent[ordinal] : old.storedValue(at: ordinal, type: types[ordinal])
    if value.isIdentical(asStored: write.value) { return .none }
    return value == write.value ? .inBits : .forReaders
  }
}
