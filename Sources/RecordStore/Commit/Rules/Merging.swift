import LMDB

/// Facts of other replicas, joined to what is known.
extension CommitSession {
  func merge(_ facts: RecordFacts) throws {
    let facts = try normalized(facts)
    let hasClasses = side.hasAliases || side.hasOriginals || !equality.aliases.isEmpty
    guard hasClasses || !layout.rules[facts.entity].uniquePositions.isEmpty else { return try mergeRow(facts) }
    var key = RecordKey(entity: facts.entity, id: facts.id)
    key = try memberKey(key)
    var own = facts
    own.id = key.id
    var member = try member(key)
    if member == nil {
      member = Member(new: own)
      noteClaimant(key)
    } else if member?.join(own, uniqueOrdinals: layout.rules[key.entity].uniqueOrdinals) ?? false {
      noteClaimant(key)
    } else if hasForkedArrivals {
      // Known already, and now its author is known: which others had seen it may have another answer.
      noteClaimant(key)
    }
    guard let member else { return }
    equality.members[key] = member
    try mergeRow(spelled(hasClasses ? member.facts : own, as: canonical(key.id)))
  }

  /// Joins facts to their row.
  private func mergeRow(_ facts: RecordFacts) throws {
    guard let slot = try slot(of: facts.id, entity: facts.entity) else {
      let slot = add(WorkingRecord(new: facts), key: RecordKey(entity: facts.entity, id: facts.id))
      noteReferences(of: slot)
      try follow(slot, before: nil)
      return
    }
    let before = records[slot].facts
    var joined = before
    joined.join(facts)
    if terms.mutation != nil { mutate(&joined, known: before, arriving: facts) }
    guard joined != before else { return }
    changeFacts(of: slot) { $0 = joined }
    try follow(slot, before: before)
  }

  /// Lets the wrong side win where a rule is wrong on purpose.
  private func mutate(_ joined: inout RecordFacts, known: RecordFacts, arriving: RecordFacts) {
    for register in arriving.registers {
      guard let own = known.register(at: register.ordinal) else { continue }
      let isTie = own.stamp.time == register.stamp.time && own.stamp.counter == register.stamp.counter
      switch terms.mutation {
      case .noTieBreak where isTie: joined.set(own.value, at: own.ordinal, stamp: own.stamp)
      case .lastArrivalWins: joined.set(register.value, at: own.ordinal, stamp: max(own.stamp, register.stamp))
      default: continue
      }
    }
  }

  /// Puts on the queue whom the new facts of a record may concern.
  func follow(_ slot: Int, before: RecordFacts?) throws {
    enqueue(slot)
    try noteClaims(of: slot)
    let facts = records[slot].facts
    let lostReference = rules(of: slot).references.contains { rule in
      let old = before?.reference(at: rule.ordinal)
      return old != nil && old != facts.reference(at: rule.ordinal)
    }
    try reconsiderTargets(of: slot, mayDrop: lostReference || facts.deleted != before?.deleted)
    try reconsiderRivals(of: slot, earlier: before)
    try reconsiderSuperseded(by: slot, earlier: before)
  }

  /// The facts as this store keeps them: values of the catalogue's types, no null in a required attribute
  /// (another device may have allowed it).
  private func normalized(_ facts: RecordFacts) throws -> RecordFacts {
    guard layout.catalogue.entities.indices.contains(facts.entity) else {
      throw StoreError(.invalidRequest, "the store has no entity with number \(facts.entity)")
    }
    let entity = layout.catalogue.entities[facts.entity]
    var facts = facts
    var last = -1
    for index in facts.registers.indices {
      let register = facts.registers[index]
      guard entity.fields.indices.contains(register.ordinal), register.ordinal > last else {
        throw StoreError(.invalidRequest, "facts of \(entity.name) name a field that it does not have, or one twice")
      }
      last = register.ordinal
      facts.registers[index].value = try normalized(register.value, entity.fields[register.ordinal], entity)
    }
    return facts
  }

  private func normalized(
    _ value: FieldValue, _ field: CatalogueField, _ entity: CatalogueEntity
  ) throws -> FieldValue {
    switch value {
    case .null:
      return field.isDeclared && !field.isOptional && field.type != .reference ? field.valueWhenAbsent : .null
    default:
      guard value.type == field.type else {
        throw StoreError(.invalidRequest, "facts of \(entity.name).\(field.name) do not have the type \(field.type)")
      }
      return value
    }
  }
}
