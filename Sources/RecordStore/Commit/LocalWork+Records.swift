// The records that it names.
extension LocalWork {
  /// Those that it deletes or links, whatever else it does to them.
  var namedRecords: Set<RecordID> {
    var named: Set<RecordID> = []
    for change in changes {
      switch change {
      case .delete(_, let id): named.insert(id)
      case .link(_, let id, _, let other, _): named.formUnion([id, other])
      case .insert, .update: continue
      }
    }
    return named
  }

  /// Those that it inserts, changes or links.
  var otherRecords: RecordIDSet {
    var others = RecordIDSet()
    for change in changes {
      switch change {
      case .insert(_, let id, _), .update(_, let id, _): others.insert(id)
      case .link(_, let id, _, let other, _): [id, other].forEach { others.insert($0) }
      case .delete: continue
      }
    }
    for edit in edits.entries { others.insert(edit.id) }
    for draft in drafts.entries { others.insert(draft.id) }
    return others
  }

  /// Those that its new values refer to. `rules`: by entity.
  func targets(_ rules: [EntityRules]) -> RecordIDSet {
    var targets = RecordIDSet()
    func note(_ writes: some Sequence<FieldWrite>) {
      for write in writes { if case .reference(let target) = write.value { targets.insert(target) } }
    }
    for change in changes {
      switch change {
      case .insert(_, _, let fields), .update(_, _, let fields): note(fields)
      case .delete, .link: continue
      }
    }
    note(edits.writes)
    for draft in drafts.entries {
      let record = RecordView(draft.bytes)
      for ordinal in rules[Int(draft.entity)].referenceOrdinals {
        if let target = record.reference(at: ordinal) { targets.insert(target) }
      }
    }
    return targets
  }
}
