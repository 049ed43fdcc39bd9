/// One store of a container: its configuration, and which classes it holds.
struct StorePart: Sendable {
  let configuration: ModelConfiguration
  let descriptions: [ModelDescription]
  /// The store's place among the container's.
  let index: Int
  /// Where the classes of other versions lie.
  let homes: ClassHomes

  /// The classes of another version that belong to this store.
  func descriptions(of version: any VersionedSchema.Type) -> [ModelDescription] {
    homes.descriptions(of: version, in: index)
  }

  /// The classes of another version that belong to the container's other stores alone.
  func descriptionsElsewhere(of version: any VersionedSchema.Type) -> [ModelDescription] {
    let here = Set(descriptions(of: version).map(\.name))
    return ModelDescription.reachable(from: version.models).filter { !here.contains($0.name) }
  }
}
