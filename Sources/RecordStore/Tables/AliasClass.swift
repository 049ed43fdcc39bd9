/// Records that one row shows, because they held one unique value without their authors knowing of each other.
struct AliasClass {
  /// Rising; the first one names the row. One member: a record on its own.
  var members: [RecordID]
  /// Ids that an earlier build joined for good, each with the member that has their facts.
  var folded: [RecordID: RecordID] = [:]

  /// All ids under which references may name the row.
  var ids: [RecordID] { members + folded.keys.sorted() }
  var isShared: Bool { members.count > 1 }
}
