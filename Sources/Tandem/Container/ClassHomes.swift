/// Which of a container's stores has the classes of each version of a migration plan.
///
/// The configurations name the classes of one version, and the others may have more: one that a stage makes others of,
/// or one that is yet to come. Such a class lies where those are that its relationships lead to, else in the store that
/// has an entity of its name, else in the store that holds the rest.
struct ClassHomes: Sendable {
  private var homes: [String: Int] = [:]
  private let areSeveral: Bool

  /// `parts`: the classes that the configurations name, for each store. `knows` says whether a store has an entity.
  init(
    _ parts: [[ModelDescription]], _ versions: [any VersionedSchema.Type], rest: Int,
    knows: (_ store: Int, _ entity: String) throws -> Bool
  ) rethrows {
    areSeveral = parts.count > 1 && !versions.isEmpty
    guard areSeveral else { return }
    for (index, part) in parts.enumerated() { for description in part { homes[description.name] = index } }
    let groups = versions.flatMap(Self.groups)
    follow(groups)
    for group in groups {
      guard let first = group.first, homes[first.name] == nil else { continue }
      homes[first.name] =
        try parts.indices.first { index in try group.contains { try knows(index, $0.root.name) } } ?? rest
      follow(groups)
    }
  }

  /// The classes of a version that lie in a store. All that relationships join are there together: an earlier version
  /// may have joined what lies in two stores now.
  func descriptions(of version: any VersionedSchema.Type, in store: Int) -> [ModelDescription] {
    guard areSeveral else { return ModelDescription.reachable(from: version.models) }
    return Self.groups(of: version).filter { group in group.contains { homes[$0.name, default: 0] == store } }
      .flatMap { $0 }.sorted { $0.name < $1.name }
  }

  /// Classes without a home get that of the others in their group, until nothing changes.
  private mutating func follow(_ groups: [[ModelDescription]]) {
    var hasChanged = true
    while hasChanged {
      hasChanged = false
      for group in groups {
        guard let home = group.compactMap({ homes[$0.name] }).first else { continue }
        for description in group where homes[description.name] == nil {
          homes[description.name] = home
          hasChanged = true
        }
      }
    }
  }

  /// The classes of a version, those together that relationships or a hierarchy join.
  private static func groups(of version: any VersionedSchema.Type) -> [[ModelDescription]] {
    var groups: [[ModelDescription]] = []
    for type in version.models {
      var group = ModelDescription.reachable(from: [type])
      let names = Set(group.map(\.name))
      let joined = groups.filter { $0.contains { names.contains($0.name) } }
      groups.removeAll { $0.contains { names.contains($0.name) } }
      for description in joined.joined() where !group.contains(where: { $0 === description }) {
        group.append(description)
      }
      groups.append(group)
    }
    return groups
  }
}
