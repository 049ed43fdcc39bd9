import LMDB

/// The state that readers see, worked out from facts.
///
/// visible(r) = inserted, alive, not superseded in a unique value, and every reference that hides (required, or
/// under a cascade of the other side) leads to a visible record. This is the greatest solution: live records that
/// refer to each other in a circle are visible. A null reference hides only where it is required.
/// alive(r) = the greatest touch is after the greatest delete, where below a deleted record the touches of
/// living records that it would take along count too, and a living holder under a rule of deny voids the
/// delete. A holder lives if it is alive and nothing that it cannot be without is dead.
///
/// References by which records contain each other are void where they would close a circle; see ``Containment``.
///
/// All of it depends on facts alone, so the order in which changes came cannot matter; the queue only decides
/// how little is worked out again.
extension CommitSession {
  /// Works through the queue until nothing changes any more.
  func settle() throws {
    settling.isSettling = true
    settling.circles.removeAll()
    settling.forgetLooks()
    defer {
      settling.isSettling = false
      settling.forgetLooks()
    }
    var next = 0
    while next < settling.slots.count || containment.hasChanges {
      if containment.hasChanges {
        try followContainment()
        settling.circles.removeAll()
      }
      guard next < settling.slots.count else { continue }
      let slot = settling.slots[next]
      next += 1
      records[slot].isQueued = false
      if !records[slot].isRemoved { try evaluate(slot) }
    }
    settling.slots.removeAll(keepingCapacity: true)
  }

  /// The most turns of one record's visibility. Circles of losses are worked out at once, so nothing is known that
  /// takes as many; a record that did would stay hidden, where else the commit would never end.
  private static var maximumTurns: Int { 64 }

  private func evaluate(_ slot: Int) throws {
    let isVisible = try records[slot].turns < Self.maximumTurns && isVisibleByRules(slot)
    if isVisible != records[slot].isVisible { try turn(slot, isVisible: isVisible) }
    let dangling = isVisible ? try danglingReferences(of: slot) : []
    if dangling != records[slot].dangling {
      records[slot].dangling = dangling
      noteFormerHolder(slot)
      // A unique value with a reference shows, or no longer does.
      try reconsiderSuperseded(by: slot)
    }
    if layout.hasDenyRules, !isVisible { try followDeath(of: slot) }
  }

  /// Invisible records may come to life or die unseen; that matters to those that they protect, and to the
  /// invisible ones below them.
  private func followDeath(of slot: Int) throws {
    let isDead = try isDead(slot)
    guard records[slot].wasDead != isDead else { return }
    records[slot].wasDead = isDead
    let rules = rules(of: slot)
    if rules.references.contains(where: \.isDeny) { try reconsiderTargets(of: slot, mayDrop: true) }
    let below = rules.incoming.filter(\.rule.hides)
    guard !below.isEmpty else { return }
    for holder in try holders(of: records[slot].facts.id, incoming: below) where !records[holder].isVisible {
      enqueue(holder)
    }
  }

  /// Takes a new record for visible until the rules say otherwise, because others were taken that refer to it: they are
  /// looked at then.
  func show(_ slot: Int) throws {
    if !records[slot].isVisible, !records[slot].isRemoved { try turn(slot, isVisible: true) }
  }

  private func turn(_ slot: Int, isVisible: Bool) throws {
    records[slot].turns += 1
    records[slot].isVisible = isVisible
    // One that hides shows only records that had lost something to it.
    if isVisible || !settling.contested.isEmpty { settling.hidden.removeAll() }
    let id = records[slot].facts.id
    let rules = rules(of: slot)
    for other in settling.waiting.removeValue(forKey: id) ?? [] { enqueue(other) }
    // A record that nobody knew before can only be referred to from `backrefs` and from this commit;
    // those of this commit are waiting or still in the queue.
    let isNew = isVisible && records[slot].original == nil
    if !rules.incoming.isEmpty, !isNew || side.hasBackReferences {
      for other in try holders(of: id, incoming: rules.incoming, includingChanged: !isNew) { enqueue(other) }
    }
    noteFormerHolder(slot)
    try reconsiderRivals(of: slot)
    try reconsiderSuperseded(by: slot)
    if records[slot].facts.deleted != nil || rules.references.contains(where: \.isDeny) {
      try reconsiderTargets(of: slot, mayDrop: !isVisible)
    }
  }

  private func isVisibleByRules(_ slot: Int) throws -> Bool {
    guard try isGood(slot) else { return false }
    let rules = rules(of: slot)
    guard rules.references.contains(where: \.hides) else { return true }
    settling.hidden.remove(slot)
    guard let path = try path(showing: slot) else {
      settling.hidden.insert(slot)
      return false
    }
    // Every record that was passed on the way is visible by the same reasoning. At once, and from its end: else each of
    // a long chain would go the rest of the way again.
    for other in path.reversed() where other != slot && !records[other].isVisible {
      if records[other].turns < Self.maximumTurns { try turn(other, isVisible: true) }
      enqueue(other)
    }
    return true
  }

  /// Inserted, alive, and each required reference set and not lost to a rival.
  private func isGood(_ slot: Int) throws -> Bool {
    guard try isContending(slot) else { return false }
    let isLosing = try isLosing(slot)
    guard let circle = try lossCircle(of: slot) else { return !isLosing }
    for member in circle.members where member != slot && records[member].isVisible != circle.isVisible(member) {
      if !records[member].isQueued { records[member].turns += 1 }
      enqueue(member)
    }
    return circle.isVisible(slot)
  }

  private func isLosing(_ slot: Int) throws -> Bool {
    for rule in rules(of: slot).references where rule.isRequired {
      if let target = try reference(of: slot, rule), try hasLost(slot, rule, target) { return true }
    }
    return try isSuperseded(slot)
  }

  /// The records that are reached through hiding references, the first one first, if every one is good; visible ones
  /// are taken for it, and end the way.
  private func path(showing root: Int) throws -> [Int]? {
    var path: [Int] = []
    var known: Set<Int> = [root]
    var pending = [root]
    while let slot = pending.popLast() {
      guard try slot == root || isGood(slot) else { return nil }
      path.append(slot)
      for rule in rules(of: slot).references where rule.hides {
        if terms.mutation == .noDerivedCascade, !rule.isRequired { continue }
        guard let target = try reference(of: slot, rule) else { continue }
        if try isVisible(target, among: rule.targets) || hasLost(slot, rule, target) { continue }
        settling.waiting[target, default: []].append(slot)
        guard let other = try self.slot(of: target, among: rule.targets), !settling.hidden.contains(other) else {
          return nil
        }
        if known.insert(other).inserted { pending.append(other) }
      }
    }
    return path
  }

  private func danglingReferences(of slot: Int) throws -> [Int] {
    var ordinals: [Int] = []
    for rule in rules(of: slot).references where !rule.hides || rule.isExclusive || rule.isContaining {
      guard let target = records[slot].facts.reference(at: rule.ordinal) else { continue }
      if try isVoid(slot, rule) {
        ordinals.append(rule.ordinal)
      } else if try !isVisible(target, among: rule.targets) {
        settling.waiting[target, default: []].append(slot)
        ordinals.append(rule.ordinal)
      } else if try hasLost(slot, rule, target) {
        ordinals.append(rule.ordinal)
      }
    }
    return ordinals
  }
}

// One-to-one.
extension CommitSession {
  /// Whether another visible record wrote the same target of a one-to-one later; equal stamps are decided by the
  /// id. The loser's reference reads as nil.
  func hasLost(_ slot: Int, _ rule: ReferenceRule, _ target: RecordID) throws -> Bool {
    try winningRival(of: slot, rule, target) != nil
  }

  /// The visible record that has the target of a one-to-one in place of this one. In a circle of losses it may be one
  /// that is not visible itself.
  func winningRival(of slot: Int, _ rule: ReferenceRule, _ target: RecordID) throws -> Int? {
    guard rule.isExclusive, let own = records[slot].facts.register(at: rule.ordinal) else { return nil }
    let rivals = try laterHolders(of: target, rule, slot, own.stamp)
    guard !rivals.isEmpty else { return nil }
    settling.contested.insert(slot)
    let winner = rivals.filter { records[$0].isVisible }.max { rank($0, rule) < rank($1, rule) }
    guard winner == nil, rule.isRequired, !records[slot].isVisible else { return winner }
    return try lossCircle(of: slot)?.winner(over: slot, ordinal: rule.ordinal)
  }

  /// The other holders of the target of a one-to-one that wrote it after `stamp`; equal stamps are decided by the id.
  func laterHolders(
    of target: RecordID, _ rule: ReferenceRule, _ slot: Int, _ stamp: Stamp
  ) throws -> [Int] {
    let reference = EntityRules.Incoming(holder: records[slot].facts.entity, rule: rule)
    return try currentHolders(of: target, reference).filter { other in
      other != slot && rank(other, rule) > (stamp, records[slot].facts.id)
    }
  }

  private func rank(_ slot: Int, _ rule: ReferenceRule) -> (Stamp, RecordID) {
    (records[slot].facts.register(at: rule.ordinal)?.stamp ?? .zero, records[slot].facts.id)
  }

  /// Puts the other holders of this record's one-to-one targets on the queue: those it has now, those it had before
  /// the commit, and those of `earlier` facts that it had in between.
  func reconsiderRivals(of slot: Int, earlier: RecordFacts? = nil) throws {
    for rule in rules(of: slot).references where rule.isExclusive {
      let reference = EntityRules.Incoming(holder: records[slot].facts.entity, rule: rule)
      let facts = [records[slot].facts, records[slot].original, earlier]
      for target in distinct(facts.map { $0?.reference(at: rule.ordinal) }) {
        for other in try currentHolders(of: target, reference) where other != slot { enqueue(other) }
      }
    }
    guard let earlier, decidesOtherwise(slot, than: earlier) else { return }
    try reconsiderCircles(of: slot, earlier: earlier)
    if let original = records[slot].original, original != earlier {
      try reconsiderCircles(of: slot, earlier: original)
    }
  }

  /// Whether a record claims other things than by earlier facts, or lives otherwise.
  private func decidesOtherwise(_ slot: Int, than earlier: RecordFacts) -> Bool {
    let facts = records[slot].facts
    return rules(of: slot).isContender && (facts.deleted != earlier.deleted || facts.isInserted != earlier.isInserted)
      || rules(of: slot).contendingOrdinals.contains { facts.register(at: $0) != earlier.register(at: $0) }
  }
}

// Life.
extension CommitSession {
  /// `assumed`: records whose life is being worked out further up; in a circle they are taken for alive.
  func isAlive(_ slot: Int, assuming assumed: Set<Int> = []) throws -> Bool {
    try records[slot].facts.deleted == nil || activity(overriding: slot, assuming: assumed) != nil
  }

  /// The newest activity by which a deleted record lives; nil if it is dead.
  func activity(overriding slot: Int, assuming assumed: Set<Int> = []) throws -> Stamp? {
    let facts = records[slot].facts
    let rules = rules(of: slot)
    guard let deleted = facts.deleted, !rules.entity.deleteIsFinal else { return nil }
    if let life = facts.life, life > deleted { return life }
    let isLocalDelete = deleted == stamp && !isMerge
    guard rules.incoming.contains(where: { $0.rule.isDeny || $0.rule.isCascade && !isLocalDelete }) else {
      return nil
    }
    return try rescue(of: slot, assuming: assumed.union([slot]))
  }

  /// Whether something that the record cannot be without was deleted. Waiting for what never came is not death.
  func hasDeadAncestor(_ slot: Int, assuming assumed: Set<Int> = []) throws -> Bool {
    var visited = assumed.union([slot])
    var pending = [slot]
    while let current = pending.popLast() {
      for rule in rules(of: current).references where rule.hides {
        guard let target = try reference(of: current, rule),
          let above = try self.slot(of: target, among: rule.targets), visited.insert(above).inserted
        else { continue }
        if try !isAlive(above, assuming: visited) { return true }
        pending.append(above)
      }
    }
    return false
  }

  /// The record among the living below a deleted one that keeps it: the newest activity under a cascade, else the
  /// newest reference under a rule of deny. The least solution over everything below, found by repeating until nothing
  /// changes, so that circles are decided the same way everywhere.
  private func rescue(of root: Int, assuming assumed: Set<Int>) throws -> Stamp? {
    let below = try familyBelow(root)
    var touch: [Int: Stamp] = [:]
    for member in below.members { touch[member] = settling.touches[member] ?? records[member].facts.life ?? .zero }
    var denied: Set<Int> = []
    func lives(_ slot: Int) -> Bool {
      guard records[slot].facts.isInserted, let deleted = records[slot].facts.deleted else {
        return records[slot].facts.isInserted
      }
      return !rules(of: slot).entity.deleteIsFinal && (touch[slot] ?? .zero > deleted || denied.contains(slot))
    }
    var hasChanged = true
    while hasChanged {
      hasChanged = false
      for edge in below.edges.reversed() where lives(edge.child) {
        if edge.isDeny, !denied.contains(edge.parent), try !hasDeadAncestor(edge.child, assuming: assumed) {
          denied.insert(edge.parent)
          hasChanged = true
        }
        if edge.isCascade, let child = touch[edge.child], child > touch[edge.parent] ?? .zero {
          touch[edge.parent] = child
          hasChanged = true
        }
      }
    }
    // Without a rule of deny, what holds of the record holds of all below it. So a chain is gone down once.
    if !below.edges.contains(where: \.isDeny) { settling.touches.merge(touch) { $1 } }
    guard lives(root) else { return nil }
    if let activity = touch[root], activity > records[root].facts.deleted ?? .zero { return activity }
    return try below.edges.filter { edge in
      try edge.isDeny && edge.parent == root && lives(edge.child) && !hasDeadAncestor(edge.child, assuming: assumed)
    }.compactMap { records[$0.child].facts.register(at: $0.ordinal)?.stamp }.max() ?? .zero
  }

  private struct Family {
    struct Edge {
      let parent: Int
      let child: Int
      /// The child's field that refers to the parent.
      let ordinal: Int
      let isCascade: Bool
      let isDeny: Bool
    }
    var members: [Int]
    var edges: [Edge] = []
  }

  /// The record and all that cascade or deny rules lead to, nearest first; not those below one whose touch is known.
  private func familyBelow(_ root: Int) throws -> Family {
    var family = Family(members: [root])
    var known: Set<Int> = [root]
    var next = 0
    while next < family.members.count {
      let parent = family.members[next]
      next += 1
      guard settling.touches[parent] == nil else { continue }
      for reference in rules(of: parent).incoming where reference.rule.isCascade || reference.rule.isDeny {
        for child in try currentHolders(of: records[parent].facts.id, reference)
        where try !isVoid(child, reference.rule) {
          family.edges.append(
            Family.Edge(
              parent: parent, child: child, ordinal: reference.rule.ordinal, isCascade: reference.rule.isCascade,
              isDeny: reference.rule.isDeny))
          if known.insert(child).inserted { family.members.append(child) }
        }
      }
    }
    return family
  }

  /// Puts deleted records above `slot` on the queue: its activity, or the end of it, may decide their life.
  /// `mayDrop`: activity may have gone, so records that are visible in spite of a delete count too.
  func reconsiderTargets(of slot: Int, mayDrop: Bool) throws {
    guard rules(of: slot).references.contains(where: { $0.isCascade || $0.isDeny }) else { return }
    var walked = settling.walked.removeValue(forKey: mayDrop) ?? []
    defer { settling.walked[mayDrop] = walked }
    // While the queue is worked through, one look above is enough until facts change: life depends on them alone.
    if !settling.isSettling { walked.remove(slot) }
    try reconsiderTargets(of: slot, mayDrop: mayDrop, &walked)
  }

  /// As above, for one of several records: those that were walked up from before lead to nothing new.
  func reconsiderTargets(of slot: Int, mayDrop: Bool, _ walked: inout Set<Int>) throws {
    var pending = [slot]
    while let current = pending.popLast() {
      guard walked.insert(current).inserted else { continue }
      for rule in rules(of: current).references where rule.isCascade || rule.isDeny {
        let targets = [
          records[current].facts.reference(at: rule.ordinal), records[current].original?.reference(at: rule.ordinal),
        ]
        for target in distinct(targets) {
          if try !mayDrop && isVisible(target, among: rule.targets) { continue }
          guard let above = try self.slot(of: target, among: rule.targets) else { continue }
          if records[above].facts.deleted != nil { enqueue(above) }
          if !walked.contains(above) { pending.append(above) }
        }
      }
    }
  }
}

extension CommitSession {
  /// Each target once, in their order: equal requests do equal things.
  private func distinct(_ targets: [RecordID?]) -> [RecordID] {
    targets.reduce(into: []) { found, target in
      if let target, !found.contains(target) { found.append(target) }
    }
  }
}
