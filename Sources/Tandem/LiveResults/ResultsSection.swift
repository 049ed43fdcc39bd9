/// The results with one section title, in the order of the results.
public struct ResultsSection<Element: PersistentModel, SectionTitle: Hashable>: RandomAccessCollection, Identifiable,
  Equatable
{
  public let title: SectionTitle
  private let elements: [Element]

  init(title: SectionTitle, elements: [Element]) {
    self.title = title
    self.elements = elements
  }

  public var id: SectionTitle { title }
  public var startIndex: Int { 0 }
  public var endIndex: Int { elements.count }
  public subscript(position: Int) -> Element { elements[position] }
}

/// Results by section: the sections in the order of their first objects.
public struct SectionedResults<Element: PersistentModel, SectionTitle: Hashable>: RandomAccessCollection, Equatable {
  private let sections: [ResultsSection<Element, SectionTitle>]
  private let places: [SectionTitle: Int]

  init(_ elements: [Element], by title: (Element) -> SectionTitle) {
    var titles: [SectionTitle] = []
    var members: [SectionTitle: [Element]] = [:]
    for element in elements {
      let title = title(element)
      if members[title] == nil { titles.append(title) }
      members[title, default: []].append(element)
    }
    sections = titles.map { ResultsSection(title: $0, elements: members[$0] ?? []) }
    places = Dictionary(uniqueKeysWithValues: titles.enumerated().map { ($0.element, $0.offset) })
  }

  public var sectionTitles: [SectionTitle] { sections.map(\.title) }
  public func contains(sectionTitle: SectionTitle) -> Bool { places[sectionTitle] != nil }
  public func index(ofSectionTitled title: SectionTitle) -> Int? { places[title] }
  public subscript(sectionTitle sectionTitle: SectionTitle) -> ResultsSection<Element, SectionTitle>? {
    places[sectionTitle].map { sections[$0] }
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { sections.count }
  public subscript(position: Int) -> ResultsSection<Element, SectionTitle> { sections[position] }
}

/// What sections an observer's results.
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
