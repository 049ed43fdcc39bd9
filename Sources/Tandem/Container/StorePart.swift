/// One store of a container: its configuration, and which classes it holds.
struct StorePart: Sendable {
  let configuration: ModelConfiguration
  let descriptions: [ModelDescription]
  /// The names of the classes that the container's other stores hold.
  let namesElsewhere: Set<String>
  /// Whether classes that only earlier versions have were here.
  let holdsRest: Bool

  /// The classes of an earlier version that belong to this store.
  func descriptions(of version: any VersionedSchema.Type) -> [ModelDescription] {
    let names = Set(descriptions.map(\.name))
    return ModelDescription.reachable(from: version.models).filter {
      names.contains($0.name) || holdsRest && !namesElsewhere.contains($0.name)
    }
  }

  /// The classes of an earlier version that belong to the container's other stores.
  func descriptionsElsewhere(of version: any VersionedSchema.Type) -> [ModelDescription] {
    let here = Set(descriptions(of: version).map(\.name))
    return ModelDescription.reachable(from: version.models).filter { !here.contains($0.name) }
  }
}
