/// The order in which new records are written.
enum InsertionOrder {
  /// As inserted, but targets of references before those who refer to them: if a target turns out to be a
  /// record that exists already, by a unique value, the references that follow mean that one.
  /// Linear; circles are cut somewhere.
  static func targetsFirst(_ inserted: [ModelStorage]) -> [ModelStorage] {
    var visited: Set<ObjectIdentifier> = []
    var ordered: [ModelStorage] = []
    ordered.reserveCapacity(inserted.count)
    for storage in inserted where visited.insert(ObjectIdentifier(storage)).inserted {
      var path = [storage]
      while let last = path.last {
        if let target = last.newTargets.first(where: { visited.insert(ObjectIdentifier($0)).inserted }) {
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
