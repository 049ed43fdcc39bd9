import RecordStore

/// The objects whose many-to-many relationships a transaction changed. The links lie in records of their own; to
/// readers of history a link that came or went is an update of both of its ends.
struct LinkedObjects {
  /// An object with the relationships whose links changed.
  struct Member {
    let id: RecordID
    let binding: EntityBinding
    /// Places among the properties of ``binding``, each once.
    fileprivate(set) var properties: [Int]
    /// The number of an update that tells of nothing else, behind those of the transaction's own changes. It follows
    /// from the first link that names the object, and so stays the same at each reading.
    let place: Int

    var identifier: PersistentIdentifier {
      PersistentIdentifier(
        recordID: id, entityName: binding.description.name, storeIdentifier: binding.store.identifier)
    }
  }

  private var members: [Member] = []
  private var places: [RecordID: Int] = [:]
  private var changed: Set<RecordID> = []

  /// Linear in the changes.
  init(_ changes: [StoreChange], _ classes: ChangedClasses) {
    let links = classes.links(in: changes)
    guard !links.isEmpty else { return }
    changed = Set(changes.lazy.map(\.id))
    for (place, link) in links {
      for (side, end) in link.ends.enumerated() {
        // A record that became one with another since has the id here that it had then.
        let id = changed.contains(end.written) ? end.written : end.canonical
        guard let (binding, property) = classes.property(side, of: link.entity, id) else { continue }
        note(Member(id: id, binding: binding, properties: [property], place: changes.count + 2 * place + side))
      }
    }
  }

  private mutating func note(_ member: Member) {
    guard let known = places[member.id] else {
      places[member.id] = members.count
      return members.append(member)
    }
    guard let property = member.properties.first, !members[known].properties.contains(property) else { return }
    members[known].properties.append(property)
  }

  /// The addition to an update that the transaction has of the object; nil if no link of it changed.
  subscript(id: RecordID) -> Member? { places[id].map { members[$0] } }

  /// Those of which the transaction has no change.
  var others: some Sequence<Member> { members.lazy.filter { !changed.contains($0.id) } }
}
