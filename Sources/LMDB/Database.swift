/// A named B-tree of an environment. A plain handle: valid for every transaction of the environment.
public struct Database: Sendable, Hashable {
  package let handle: UInt32
  public let name: String
  package init(handle: UInt32, name: String) {
    self.handle = handle
    self.name = name
  }
}
