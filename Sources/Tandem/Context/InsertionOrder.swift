/// The order in which new records are written.
enum InsertionOrder {
  /// As inserted, but targets of references before the objects that refer to them: if a target turns out to be a
  /// record that exists already, by a unique value, the references that follow mean that one.
  ///
  /// Of several objects with one unique value the last one counts, so they stay in their order, also where one of them
  /// is a target. Linear; circles are cut somewhere.
  static func targetsFirst(_ inserted: [ModelStorage]) -> [ModelStorage] {
    // Objects without relationships, the commonest, are in order.
    guard inserted.contains(where: { $0.binding?.hasRelationships ?? true || $0.edits != nil }) else {
      return inserted
    }
    let (ordered, isMoved) = ordered(inserted, Predecessors())
    guard isMoved else { return ordered }
    let predecessors = Predecessors(inserted)
    return predecessors.isEmpty ? ordered : self.ordered(inserted, predecessors).storages
  }

  /// The order, and whether it differs for an object with unique values.
  private static func ordered(
    _ inserted: [ModelStorage], _ predecessors: Predecessors
  ) -> (storages: [ModelStorage], isMoved: Bool) {
    var ordered: [ModelStorage] = []
    ordered.reserveCapacity(inserted.count)
    var isMoved = false
    // A mark on the object itself is cheaper than a set of visited ones.
    defer { for storage in ordered { storage.flags.remove(.visited) } }
    for storage in inserted where storage.visit() {
      var path = [storage]
      while let last = path.last {
        if let target = predecessors.of(last)?.unvisited ?? last.newTargets.first(where: { $0.visit() }) {
          if target.binding?.uniqueProperties.isEmpty == false { isMoved = true }
          path.append(target)
        } else {
          ordered.append(path.removeLast())
        }
      }
    }
    return (ordered, isMoved)
  }

  /// By object, the one that was inserted before it with the same unique value.
  private struct Predecessors {
    private var storages: [ObjectIdentifier: ModelStorage] = [:]
    var isEmpty: Bool { storages.isEmpty }

    init() {}

    init(_ inserted: [ModelStorage]) {
      var latest: [UniqueValue: ModelStorage] = [:]
      for storage in inserted {
        for value in UniqueValue.all(of: storage) {
          if let earlier = latest.updateValue(storage, forKey: value) { storages[ObjectIdentifier(storage)] = earlier }
        }
      }
    }

    func of(_ storage: ModelStorage) -> ModelStorage? {
      storages.isEmpty ? nil : storages[ObjectIdentifier(storage)]
    }
  }
}

extension ModelStorage {
  /// Marks the object; false if it was marked before.
  fileprivate func visit() -> Bool { flags.insert(.visited).inserted }

  /// The object, which is marked now; nil if it was marked before.
  fileprivate var unvisited: ModelStorage? { visit() ? self : nil }

  /// Targets of the references that lie in this record, as far as they are new too.
  fileprivate var newTargets: [ModelStorage] {
    guard let binding else { return [] }
    var targets: [ModelStorage] = []
    for index in description.relationshipIndexes where !slots.isEmpty && binding.ordinals[index] >= 0 {
      guard case .toOne(let target) = slots[index] else { continue }
      targets.append(target._$storage)
    }
    // A packed object has these alone.
    for owner in edits?.owners ?? [] { targets.append(owner._$storage) }
    return targets.filter { $0.flags.contains(.inserted) }
  }
}
