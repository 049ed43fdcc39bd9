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
    let effects = try PendingEffects(context)
    // While objects are weighed, relationships leave out what the delete rules will take.
    for model in effects.hidden { model._$storage.flags.insert(.hidden) }
    defer { for model in effects.hidden { model._$storage.flags.remove(.hidden) } }
    let affected = affected(by: effects)
    let identities = try PendingIdentities(affected, context, binding)
    let candidates = affected.filter { !identities.isShadowed($0) && !$0._$storage.isDeleted }
      .compactMap { $0 as? T }.filter { descriptor.accepts($0) }
    let order = PendingOrder(descriptor.sortBy, identities)
    guard translation.isWhole, translation.query.isLocal(to: binding) else {
      let all: [T] = try context.objects(RecordQuery(entity: binding.entity.number), binding)
      let affectedObjects = Set(affected.map { ObjectIdentifier($0) })
      let rest = all.filter { model in
        !affectedObjects.contains(ObjectIdentifier(model)) && !identities.isReplaced(model._$storage.recordID)
          && descriptor.accepts(model)
      }
      return descriptor.window((rest + candidates).sorted(by: order.precedes))
    }
    var query = translation.query
    let left = Set(affected.map { $0._$storage.recordID }).union(identities.replaced)
    query.filter = .and([query.filter, .not(.ids(left))])
    query.limit = descriptor.fetchLimit.map { $0 + (descriptor.fetchOffset ?? 0) }
    let stored: [T] = try context.objects(query, binding)
    return descriptor.window(order.merge(stored, candidates.sorted(by: order.precedes)))
  }

  /// Objects of the class that are not as the store has them.
  private func affected(by effects: PendingEffects) -> [any PersistentModel] {
    let pending = context.pending
    let models = pending.liveInserted + pending.liveChanged + pending.liveDeleted + effects.hidden
    var seen: Set<ObjectIdentifier> = []
    return models.filter { $0._$storage.binding === binding && seen.insert(ObjectIdentifier($0)).inserted }
  }
}

extension RecordQuery {
  /// Whether filter and sort look at nothing but attributes of the queried records themselves.
  fileprivate func isLocal(to binding: EntityBinding) -> Bool {
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
