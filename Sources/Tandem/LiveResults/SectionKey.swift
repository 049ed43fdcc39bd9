import Foundation

/// The key path that divides an observer's results into sections.
struct SectionKey<Element: PersistentModel, SectionTitle: Hashable> {
  let keyPath: PartialKeyPath<Element>
  /// The order by it: one descriptor. In a list, because a release build cannot lay out one of Foundation's by itself.
  let order: [SortDescriptor<Element>]
  let title: (Element) -> SectionTitle

  /// Sorts by the section first, if that is not said already: a section's objects stand together.
  func arrange(_ descriptor: inout FetchDescriptor<Element>) {
    let paths = order.map(\.keyPath) + [keyPath]
    guard !descriptor.sortBy.prefix(1).contains(where: { paths.contains($0.keyPath) }) else { return }
    descriptor.sortBy = order + descriptor.sortBy
  }
}

extension SectionKey where SectionTitle == String {
  init(_ keyPath: KeyPath<Element, String>) {
    self.init(
      keyPath: keyPath, order: [SortDescriptor(keyPath.markedSendable)], title: { $0[keyPath: keyPath] })
  }

  /// The title of nil is the empty text.
  init(_ keyPath: KeyPath<Element, String?>) {
    self.init(
      keyPath: keyPath, order: [SortDescriptor(keyPath.markedSendable)], title: { $0[keyPath: keyPath] ?? "" })
  }
}
