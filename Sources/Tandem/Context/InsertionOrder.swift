/// The order in which new records are written.
enum InsertionOrder {
  /// As inserted, but targets of references before the objects that refer to them: if a target turns out to be a
  /// record that exists already, by a unique value, the references that follow mean that one.
  /// Linear; circles are cut somewhere.
  static func targetsFirst(_ inserted: [ModelStorage]) -> [ModelStorage] {
    // Objects without relationships, the commonest, are in order.
    guard inserted.contains(where: { $0.binding?.hasRelationships ?? true || $0.edits != nil }) else {
      return inserted
    }
    var ordered: [ModelStorage] = []
    ordered.reserveCapacity(inserted.count)
    // A mark on the object itself is cheaper than a set of visited ones.
    defer { for storage in ordered { storage.flags.remove(.visited) } }
    for storage in inserted where storage.visit() {
      var path = [storage]
      while let last = path.last {
        if let target = last.newTargets.first(where: { $0.visit() }) {
          path.append(target)
        } else {
          ordered.append(path.removeLast())
        }
      }
    }
    return ordered
  }
}

extension ModelStorage {
  /// Marks the object; false if it was marked before.
  fileprivate func visit() -> Bool { flags.insert(.visited).inserted }

  /// Targets of the references that lie in this record, as far as they are new too.
  fileprivate var newTargets: [ModelStorage] {
    guard let binding, !slots.isEmpty else { return [] }
    var targets: [ModelStorage] = []
    for index in description.relationshipIndexes where binding.ordinals[index] >= 0 {
      guard case .toOne(let target) = slots[index] else { continue }
      targets.append(target._$storage)
    }
    for owner in edits?.owners ?? [] { targets.append(owner._$storage) }
    return targets.filter { $0.flags.contains(.inserted) }
  }
}
