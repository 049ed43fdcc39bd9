/// The inserts since the last save that an undo may have to take back from a record that was there before, and what
/// objects were like at each of them.
///
/// Only the save tells which inserts these are. By then later changes have come on top, and each of them is undone
/// before the insert is: the state to go back to is the one at the insert.
struct ArrivalLog {
  /// By object, how an undo will take it out; of classes with unique values.
  private var arrivals: [ObjectIdentifier: ModelContext.Arrival] = [:]
  private var count = 0
  /// Links that are being set, and bring objects in.
  private var steps = 0
  private var formers: [Place: [Former]] = [:]
  private var links: [Place: [Link]] = [:]

  enum Property: Hashable {
    case own(Int)
    /// A relationship that only the other side declares.
    case hidden(ModelStorage.HiddenRelationship)
  }

  private struct Place: Hashable {
    let storage: ObjectIdentifier
    let property: Property
    init(_ property: Property, _ model: any PersistentModel) {
      (storage, self.property) = (ObjectIdentifier(model._$storage), property)
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
    let arrival = ModelContext.Arrival(models, number: steps > 0 ? count : count + 1)
    for model in models where model._$storage.binding?.hasUniqueValues == true {
      arrivals[ObjectIdentifier(model)] = arrival
      count = arrival.number
    }
    return arrival
  }

  mutating func removeAll() { self = ArrivalLog() }

  /// A link is about to be set that brings objects in. An undo takes these out behind the link, so they count as there
  /// before it, although they enter once both sides are set.
  mutating func beginStep() {
    if steps == 0 { count += 1 }
    steps += 1
  }

  mutating func endStep() { steps = max(0, steps - 1) }

  /// Whether an attribute or a link to one object is about to change for the first time behind the last insert.
  func isNews(_ property: Property, of model: any PersistentModel) -> Bool {
    mayBeReplaced(model) && formers[Place(property, model)]?.last?.count != count
  }

  mutating func note(_ opposite: ModelContext.Opposite, _ property: Property, of model: any PersistentModel) {
    formers[Place(property, model), default: []].append(Former(count: count, opposite: opposite))
  }

  /// A to-many relationship is about to get a member, or to lose one.
  mutating func note(_ index: Int, of model: any PersistentModel, _ member: any PersistentModel, isLinked: Bool) {
    guard mayBeReplaced(model) else { return }
    let link = Link(count: count, owner: model, member: member, isLinked: isLinked)
    links[Place(.own(index), model), default: []].append(link)
  }

  private func mayBeReplaced(_ model: any PersistentModel) -> Bool {
    !(isEmpty && steps == 0) && !model._$storage.flags.contains(.inserted)
      && model._$storage.binding?.hasUniqueValues == true
  }

  /// How a property gets back what it had at an insert; nil where it has that still.
  func opposite(
    _ property: Property, of model: any PersistentModel, since arrival: ModelContext.Arrival
  ) -> ModelContext.Opposite? {
    formers[Place(property, model)]?.first { $0.count >= arrival.number }?.opposite
  }

  /// The members that a to-many relationship had at an insert, in their present order.
  func members(
    _ index: Int, of model: any PersistentModel, since arrival: ModelContext.Arrival
  ) -> [any PersistentModel] {
    var members = model._$storage.members(index)
    let later = (links[Place(.own(index), model)] ?? []).filter { $0.count >= arrival.number }
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
