import Foundation
import RecordStore

/// A fetch that sees unsaved changes: the store's answer without the objects that changed here, and those
/// weighed as they are.
///
/// Where the predicate or the order looks at other objects, a change of one of those can alter the answer for
/// any object, and all objects of the class are weighed in Swift.
struct PendingOverlay {
  private let context: ModelContext
  private let binding: EntityBinding

  init(_ context: ModelContext, _ binding: EntityBinding) {
    self.context = context
    self.binding = binding
  }

  func fetch<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, _ translation: FetchTranslation<T>
  ) throws -> [T] {
    try context.catchUp(binding.store)
    if binding.goesAlong || !translation.isWhole || !translation.query.isLocal(to: binding) {
      try context.noteEffects()
    }
    context.weighed.isRunning = true
    defer { context.weighed.isRunning = false }
    if let found = try uniqueValue(descriptor, translation) { return descriptor.window(found) }
    let kin = kin()
    let weighed = kin.filter { $0._$storage.isKind(of: binding) }
    let accepts = descriptor.acceptance
    let identities = try PendingIdentities(kin, context, binding)
    let candidates = weighed.filter { !identities.isShadowed($0) }.compactMap { $0 as? T }
      .filter(accepts)
    let order = PendingOrder(descriptor.sortBy, identities)
    guard translation.isWhole, translation.query.isLocal(to: binding) else {
      let all: [T] = try context.objects(binding.wholeQuery, binding)
      let rest = all.filter { model in
        !model._$storage.isAffected && !identities.isReplaced(model._$storage.recordID) && accepts(model)
      }
      return descriptor.window((rest + candidates).sorted(by: order.precedes))
    }
    let limit = descriptor.fetchLimit.map { min($0, .max / 4) + min(descriptor.fetchOffset ?? 0, .max / 4) }
    let stored: [T] = try unaffected(translation.query, limit: limit, identities.replaced)
    return descriptor.window(order.merge(stored, candidates.sorted(by: order.precedes)))
  }

  /// The inserted and changed objects of the class and of its hierarchy that a save would leave: one of another class
  /// may make a record its own. A new object of the root leaves a record's class as it is.
  private func kin() -> [any PersistentModel] {
    let pending = context.pending
    let isRoot = binding.description.superclass == nil
    var seen: Set<ObjectIdentifier> = []
    return (pending.liveInserted + pending.liveChanged).filter { model in
      let storage = model._$storage
      guard let other = storage.binding, other.sharesEntity(with: binding), !storage.isDeleted,
        isRoot || !storage.flags.contains(.inserted) || other.description.superclass != nil
      else { return false }
      return seen.insert(ObjectIdentifier(model)).inserted
    }
  }

  /// The stored objects that a query finds and that a save would leave as they are; the first `limit` of them.
  private func unaffected<T: PersistentModel>(
    _ query: RecordQuery, limit: Int?, _ replaced: Set<RecordID>
  ) throws -> [T] {
    var models: [T] = []
    guard limit ?? 1 > 0 else { return models }
    var query = query
    // So many at most are passed over; knowing the end, the store need not sort all.
    query.limit = limit.map { $0 + context.affectedCount }
    try context.read(binding.store) { snapshot in
      try snapshot.forEachRow(query) { row in
        guard !context.isAffected(row.id), !replaced.contains(row.id) else { return true }
        if let model = exactly(T.self, try context.register(row, binding)) { models.append(model) }
        return models.count != limit
      }
    }
    return models
  }
}

// One object by a unique value: what an app asks before it inserts, often once for each of many inserts.
extension PendingOverlay {
  /// The answer to a query for one value of the only unique attribute; nil for any other query.
  private func uniqueValue<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, _ translation: FetchTranslation<T>
  ) throws -> [T]? {
    guard translation.isWhole, case .compare(let path, .equal, let value) = translation.query.filter, value != .null,
      path.ordinals.count == 1, binding.description.superclass == nil,
      binding.entity.indexes.count(where: \.isUnique) == 1,
      binding.uniqueProperties.count == 1, binding.uniqueProperties[0].count == 1,
      binding.ordinals[binding.uniqueProperties[0][0]] == path.ordinals[0]
    else { return nil }
    let holders = context.pendingHolders(of: value, binding).compactMap { $0 as? T }
    let changed = holders.filter { !$0._$storage.flags.contains(.inserted) }
    // Changed objects that meet in a value make a save fail; what a fetch shows then is the slow way's business.
    guard changed.count < 2 else { return nil }
    let stored: [T] = try unaffected(translation.query, limit: 1, [])
    if binding.adoptedProperties.isEmpty { return holders.count + stored.count < 2 ? holders + stored : nil }
    guard changed.isEmpty || stored.isEmpty else { return nil }
    // At a save the last insert takes the place of the record that has the value.
    if let last = holders.last(where: { $0._$storage.flags.contains(.inserted) }) { return [last] }
    return changed + stored
  }
}

extension ModelContext {
  /// Not fewer than the objects for which ``isAffected(_:)`` is true.
  var affectedCount: Int {
    pending.inserted.count + pending.changed.count + pending.deleted.count + (weighed.effects?.count ?? 0)
  }

  /// Whether a record's object has unsaved changes, or goes with one that is deleted.
  func isAffected(_ id: RecordID) -> Bool { map[id]?._$storage.isAffected ?? false }
}

extension RecordQuery {
  /// Whether filter and sort look at nothing but attributes of the queried records themselves.
  func isLocal(to binding: EntityBinding) -> Bool {
    sort.allSatisfy { $0.path.isLocal(to: binding) } && filter.isLocal(to: binding)
  }
}

extension FieldPath {
  fileprivate func isLocal(to binding: EntityBinding) -> Bool {
    ordinals.count == 1 && binding.entity.fields[ordinals[0]].type != .reference
  }
}

extension RecordFilter {
  fileprivate func isLocal(to binding: EntityBinding) -> Bool {
    switch self {
    case .all, .none, .ids: true
    case .compare(let path, _, _), .oneOf(let path, _), .text(let path, _, _), .localizedContains(let path, _):
      path.isLocal(to: binding)
    case .compareFields(let left, _, let right): left.isLocal(to: binding) && right.isLocal(to: binding)
    case .anyRelated, .allRelated, .countRelated: false
    case .and(let parts), .or(let parts): parts.allSatisfy { $0.isLocal(to: binding) }
    case .not(let part): part.isLocal(to: binding)
    }
  }
}
