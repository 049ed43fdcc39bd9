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
