/// The inserts since the last save that an undo may have to take back from a record that was there before, and what
/// objects were like at each of them.
///
/// Only the save tells which inserts these are. By then later changes have come on top, and each of them is undone
/// before the insert is: the state to go back to is the one at the insert.
struct ArrivalLog {
  /// By object, how an undo will take it out; of classes with unique values.
  private var arrivals: [ObjectIdentifier: ModelContext.Arrival] = [:]
  private var count = 0
  private var formers: [Property: [Former]] = [:]
  private var links: [Property: [Link]] = [:]

  private struct Property: Hashable {
    let storage: ObjectIdentifier
    let index: Int
    init(_ index: Int, _ model: any PersistentModel) {
      (storage, self.index) = (ObjectIdentifier(model._$storage), index)
    }
  }

  /// How a property gets back what it had before its first change behind an insert.
  private struct Former {
    let count: Int
    let opposite: ModelContext.Opposite
  }

  private struct Link {
    let count: Int
    /// Held, so that no other object gets its identity.
    let owner: any PersistentModel
    let member: any PersistentModel
    let isLinked: Bool
  }

  var isEmpty: Bool { arrivals.isEmpty }
  func arrival(of model: any PersistentModel) -> ModelContext.Arrival? { arrivals[ObjectIdentifier(model)] }

  mutating func add(_ models: [any PersistentModel]) -> ModelContext.Arrival {
    let arrival = ModelContext.Arrival(models, number: count + 1)
    for model in models where model._$storage.binding?.hasUniqueValues == true {
      arrivals[ObjectIdentifier(model)] = arrival
      count = arrival.number
    }
    return arrival
  }

  mutating func removeAll() { self = ArrivalLog() }

  /// Whether an attribute or a to-one relationship is about to change for the first time behind the last insert.
  func isNews(_ index: Int, of model: any PersistentModel) -> Bool {
    mayBeReplaced(model) && formers[Property(index, model)]?.last?.count != count
  }

  mutating func note(_ opposite: ModelContext.Opposite, _ index: Int, of model: any PersistentModel) {
    formers[Property(index, model), default: []].append(Former(count: count, opposite: opposite))
  }

  /// A to-many relationship is about to get a member, or to lose one.
  mutating func note(_ index: Int, of model: any PersistentModel, _ member: any PersistentModel, isLinked: Bool) {
    guard mayBeReplaced(model) else { return }
    let link = Link(count: count, owner: model, member: member, isLinked: isLinked)
    links[Property(index, model), default: []].append(link)
  }

  private func mayBeReplaced(_ model: any PersistentModel) -> Bool {
    !isEmpty && !model._$storage.flags.contains(.inserted) && model._$storage.binding?.hasUniqueValues == true
  }

  /// How a property gets back what it had at an insert; nil where it has that still.
  func opposite(
    _ index: Int, of model: any PersistentModel, since arrival: ModelContext.Arrival
  ) -> ModelContext.Opposite? {
    formers[Property(index, model)]?.first { $0.count >= arrival.number }?.opposite
  }

  /// The members that a to-many relationship had at an insert, in their present order.
  func members(
    _ index: Int, of model: any PersistentModel, since arrival: ModelContext.Arrival
  ) -> [any PersistentModel] {
    var members = model._$storage.members(index)
    let later = (links[Property(index, model)] ?? []).filter { $0.count >= arrival.number }
    if later.isEmpty { return members }
    // The first change of a link tells what there was before it.
    let first = Dictionary(later.map { (ObjectIdentifier($0.member._$storage), $0) }) { first, _ in first }
    members.removeAll { first[ObjectIdentifier($0._$storage)]?.isLinked == true }
    var known = Set(members.map { ObjectIdentifier($0._$storage) })
    for link in later where !link.isLinked {
      let id = ObjectIdentifier(link.member._$storage)
      if first[id]?.isLinked == false, known.insert(id).inserted { members.append(link.member) }
    }
    return members
  }
}
