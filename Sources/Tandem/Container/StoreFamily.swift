public import Foundation

/// The stores with which a store is kept equal by the module `TandemSync`.
///
/// A store that was shared or has joined (`SharedStore` of RecordSync, `tandem share`, `tandem join`) is of that
/// family, whatever its configuration says.
public enum StoreFamily: Hashable, Sendable {
  /// All stores of the same place, group and name, that use the same folder: for the devices of one person.
  case ofPlace
  /// A family of its own, which the store founds before it is first synchronised: two people with the same app and
  /// folder stay apart until one joins the other. `name` is how others call the founder.
  case own(name: String)
  /// The family of an invitation's file. Records that the store has are given to that family, where it may write.
  case invited(by: URL)
}
