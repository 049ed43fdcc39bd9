import RecordStore

// Inserts that a save makes updates of records that were there: an undo leaves the record, with what it had.

extension ModelContext {
  /// Objects that came in together, for the step of undo that takes them out.
  final class Arrival {
    let models: [any PersistentModel]
    /// By object that turned out to be a stored one, what gives that one its former values.
    fileprivate(set) var replaced: [ObjectIdentifier: [Opposite]] = [:]

    /// Its place among the inserts since the last save.
    let number: Int

    init(_ models: [any PersistentModel], number: Int) { (self.models, self.number) = (models, number) }
  }

  /// The values that a save is about to write over.
  struct ReplacedValues {
    fileprivate var byInsert: [RecordID: (id: RecordID, opposites: [Opposite])] = [:]
  }

  /// The values of the records that inserts of the next save will turn out to be. Asked before that save, and only
  /// where something can be undone.
  func replacedValues(by part: PendingChanges, in store: StoreBinding) throws -> ReplacedValues {
    var replaced = ReplacedValues()
    guard !link.arrivals.isEmpty, store.foreign == nil else { return replaced }
    var seen: Set<ObjectIdentifier> = []
    for model in part.liveInserted {
      guard let binding = model._$storage.binding, binding.hasUniqueValues,
        seen.insert(ObjectIdentifier(binding)).inserted
      else { continue }
      let kin = (part.liveInserted + part.liveChanged).filter { other in
        other._$storage.binding?.sharesEntity(with: binding) == true && !other._$storage.isDeleted
      }
      let identities = try PendingIdentities(kin, self, binding)
      for insert in kin where insert._$storage.flags.contains(.inserted) {
        let id = identities.identity(of: insert._$storage.recordID)
        guard id != insert._$storage.recordID, let existing = object(id, binding),
          !existing._$storage.flags.contains(.inserted), let arrival = link.arrivals.arrival(of: insert)
        else { continue }
        replaced.byInsert[insert._$storage.recordID] = (
          id, opposites(of: existing, replacedBy: insert, in: arrival)
        )
      }
    }
    return replaced
  }

  private func opposites(
    of model: any PersistentModel, replacedBy insert: any PersistentModel, in arrival: Arrival
  ) -> [Opposite] {
    let arrived = Set(arrival.models.map { ObjectIdentifier($0._$storage) })
    let hidden = (insert._$storage.edits?.hiddenOwners ?? [:]).keys.map { relationship in
      link.arrivals.opposite(.hidden(relationship), of: model, since: arrival) ?? opposite(relationship, of: model)
    }
    return hidden
      + model._$storage.description.properties.compactMap { property in
        let index = property.index
        if let earlier = link.arrivals.opposite(.own(index), of: model, since: arrival) { return earlier }
        guard property.destination != nil else {
          if case .attribute = property.kind { return opposite(index, attributeOf: model) }
          return nil
        }
        guard property.isToMany else { return opposite(index, oneSideOf: model) }
        // Links to others were made by setting them, which is undone by itself.
        // The insert may be of another class of the hierarchy, which has no such property.
        let hasProperty = insert._$storage.description.isKind(of: model._$storage.description.declaring(index))
        let members = hasProperty ? insert._$storage.members(index) : []
        let joined = members.filter { arrived.contains(ObjectIdentifier($0._$storage)) }
        let former = link.arrivals.members(index, of: model, since: arrival)
        return opposite(index, joinedBy: joined, former, of: model)
      }
  }

  /// The save is done: `remapped` says which inserts it made updates.
  func noteReplaced(_ values: ReplacedValues, _ part: PendingChanges, _ remapped: [RecordID: RecordID]) {
    for model in part.liveInserted {
      let insert = model._$storage.recordID
      guard let value = values.byInsert[insert], remapped[insert] == value.id else { continue }
      link.arrivals.arrival(of: model)?.replaced[ObjectIdentifier(model)] = value.opposites
    }
  }
}
