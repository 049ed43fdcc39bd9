// Public, because a model here is. Apps without `InternalImportsByDefault` say just `import SwiftData`.
public import SwiftData
import Testing

// Forms that a model's declaration takes in apps.

@Model
public final class Account {
  @Attribute(.unique) public var id: UUID
  public private(set) var balance: Decimal = 0
  public internal(set) var note: String?
  fileprivate(set) var entries: [String] = []
  private var secret: Int = 7
  public var doubled: Decimal { balance * 2 }
  @Transient public var isExpanded: Bool = false
  @Transient private lazy var cache: [String: Int] = [:]
  static let currency = "UAH"

  public init(id: UUID = UUID()) { self.id = id }

  private init(secret: Int) {
    id = UUID()
    self.secret = secret
  }

  static func hidden() -> Account { Account(secret: 42) }
  public func pay(_ amount: Decimal) {
    balance += amount
    entries.append("\(amount)")
  }
  var revealed: Int { secret }
}

enum LibrarySchemaV1: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Book.self, Author.self] }

  @Model final class Book {
    var title: String
    var author: Author?
    init(title: String, author: Author? = nil) {
      self.title = title
      self.author = author
    }
  }

  @Model final class Author {
    var name: String
    @Relationship(inverse: \Book.author) var books: [Book]
    init(name: String, books: [Book] = []) {
      self.name = name
      self.books = books
    }
  }
}

enum LibrarySchemaV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static let models: [any PersistentModel.Type] = [Book.self]

  @Model final class Book {
    var title: String
    var pages: Int = 0
    init(title: String) { self.title = title }
  }
}

typealias Book = LibrarySchemaV1.Book
typealias Author = LibrarySchemaV1.Author

/// Refers to itself in each way that one can.
@Model
class Folder: CustomStringConvertible {
  var name: String
  var parent: Folder?
  @Relationship(deleteRule: .cascade, inverse: \Folder.parent) var children: [Folder]? = []
  var shortcut: Folder?
  var related: [Folder] = []

  init(name: String, parent: Folder? = nil) {
    self.name = name
    self.parent = parent
  }

  convenience init() { self.init(name: "untitled") }
  var description: String { "folder \(name)" }
}

/// Several relationships to one entity.
@Model
final class Match {
  var home: Team?
  var guest: Team?
  @Relationship(deleteRule: .nullify, inverse: \Team.refereed) var referees: [Team] = []
  init(home: Team?, guest: Team?) {
    self.home = home
    self.guest = guest
  }
}

@Model
final class Team {
  #Unique<Team>([\.name, \.city])
  #Index<Team>(.binary([\.name]), .rtree([\.x, \.y]))
  var name: String
  var city: String
  var x: Double = 0
  var y: Double = 0
  @Relationship(inverse: \Match.home) var homeMatches: [Match] = []
  @Relationship(inverse: \Match.guest) var guestMatches: [Match] = []
  var refereed: [Match] = []
  init(name: String, city: String = "") {
    self.name = name
    self.city = city
  }
}

/// Says when two are equal, without naming the protocol.
@Model
final class Stamp {
  var country: String
  init(country: String) { self.country = country }
  static func == (left: Stamp, right: Stamp) -> Bool { left.country == right.country }
  func hash(into hasher: inout Hasher) { hasher.combine(country) }
}

/// The same, in an extension.
@Model
final class Coin {
  var cents: Int
  @Relationship var owner: Wallet?
  init(cents: Int) { self.cents = cents }
  /// Of something else than two coins, which the macro must not take for their equality.
  static func == (left: Coin, cents: Int) -> Bool { left.cents == cents }
}

extension Coin: Equatable {
  static func == (left: Coin, right: Coin) -> Bool { left.cents == right.cents }
  func hash(into hasher: inout Hasher) { hasher.combine(cents) }
}

/// The same, with the protocol.
@Model
final class Wallet: Hashable {
  var name: String
  @Relationship(inverse: \Coin.owner) var coins: [Coin] = []
  init(name: String) { self.name = name }
  static func == (left: Wallet, right: Wallet) -> Bool { left.name == right.name }
  static func == (left: Wallet, name: String) -> Bool { left.name == name }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension Team: Comparable {
  static func < (left: Team, right: Team) -> Bool { left.name < right.name }
}

@MainActor
@Suite struct ModelFormTests {
  private func context(_ types: any PersistentModel.Type...) throws -> ModelContext {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    return ModelContext(try ModelContainer(for: Schema(types), configurations: [configuration]))
  }

  @Test func `a class keeps its access levels and its own id`() throws {
    let context = try context(Account.self)
    let id = UUID()
    let account = Account(id: id)
    account.pay(5)
    account.isExpanded = true
    context.insert(account)
    context.insert(Account.hidden())
    try context.save()
    let other = ModelContext(context.container)
    let found = try #require(try other.fetch(FetchDescriptor(predicate: #Predicate<Account> { $0.id == id })).first)
    #expect(found.id == id && found.balance == 5 && found.doubled == 10 && found.entries == ["5"])
    #expect(found.revealed == 7 && !found.isExpanded)
    #expect(try other.fetch(FetchDescriptor<Account>()).map(\.revealed).sorted() == [7, 42])
  }

  @Test func `models nested in the versions of a schema have the entity's plain name`() throws {
    let schema = Schema(versionedSchema: LibrarySchemaV1.self)
    #expect(schema.version == Schema.Version(1, 0, 0))
    #expect(schema.entities.map(\.name).sorted() == ["Author", "Book"])
    #expect(Schema.entityName(for: LibrarySchemaV2.Book.self) == "Book")
    let container = try ModelContainer(
      for: schema, configurations: [ModelConfiguration(isStoredInMemoryOnly: true)])
    let context = ModelContext(container)
    let book = Book(title: "Eneida", author: Author(name: "Kotliarevsky"))
    context.insert(book)
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Author>()).first?.books.map(\.title) == ["Eneida"])
  }

  @Test func `a class may refer to itself in every way at once`() throws {
    let context = try context(Folder.self)
    let root = Folder(name: "root")
    let child = Folder(name: "child", parent: root)
    let grandchild = Folder()
    child.children?.append(grandchild)
    root.shortcut = root
    grandchild.shortcut = root
    root.related = [child, root]
    context.insert(root)
    try context.save()
    let other = ModelContext(context.container)
    let again = try #require(other.model(for: root.persistentModelID) as? Folder)
    #expect(again.children?.map(\.name) == ["child"])
    #expect(again.children?.first?.children?.map(\.name) == ["untitled"])
    #expect(again.shortcut === again && again.parent == nil)
    #expect(Set(again.related.map(\.name)) == ["child", "root"])
    other.delete(again)
    try other.save()
    #expect(try other.fetchCount(FetchDescriptor<Folder>()) == 0)
  }

  @Test func `several relationships to one entity are told apart`() throws {
    let context = try context(Match.self)
    let (dynamo, karpaty) = (Team(name: "Dynamo"), Team(name: "Karpaty"))
    let match = Match(home: dynamo, guest: karpaty)
    context.insert(match)
    match.referees = [Team(name: "Referees")]
    #expect(dynamo.homeMatches == [match] && dynamo.guestMatches.isEmpty)
    #expect(karpaty.guestMatches == [match] && karpaty.homeMatches.isEmpty)
    try context.save()
    let other = ModelContext(context.container)
    let again = try #require(try other.fetch(FetchDescriptor<Match>()).first)
    #expect(again.home?.name == "Dynamo" && again.guest?.name == "Karpaty")
    #expect(again.referees.map(\.name) == ["Referees"] && again.referees.first?.refereed == [again])
    #expect(again.home?.refereed.isEmpty == true)
    #expect(try other.fetch(FetchDescriptor<Team>()).sorted().map(\.name) == ["Dynamo", "Karpaty", "Referees"])
  }

  @Test func `values together are unique`() throws {
    let context = try context(Team.self)
    context.insert(Team(name: "Dynamo", city: "Kyiv"))
    context.insert(Team(name: "Dynamo", city: "Lviv"))
    try context.save()
    let again = Team(name: "Dynamo", city: "Kyiv")
    again.x = 5
    context.insert(again)
    try context.save()
    let teams = try context.fetch(FetchDescriptor<Team>(sortBy: [SortDescriptor(\.city)]))
    #expect(teams.map(\.x) == [5, 0])
  }

  @Test func `an index of type rtree finds numbers by range`() throws {
    let context = try context(Match.self)
    for number in 0..<4 {
      let team = Team(name: "\(number)")
      team.x = Double(number)
      context.insert(team)
    }
    try context.save()
    let near = FetchDescriptor<Team>(predicate: #Predicate { $0.x > 1 && $0.x < 3 })
    #expect(try context.fetch(near).map(\.name) == ["2"])
    #expect(try near.explain(in: context).contains("index"))
  }

  @Test func `a class may say itself when objects are equal`() {
    #expect(Stamp(country: "UA") == Stamp(country: "UA"))
    #expect(Set([Stamp(country: "UA"), Stamp(country: "UA"), Stamp(country: "PL")]).count == 2)
    #expect([Coin(cents: 5), Coin(cents: 10)].firstIndex(of: Coin(cents: 10)) == 1)
    #expect([Wallet(name: "a")].contains(Wallet(name: "a")))
    #expect(Coin(cents: 5) == 5 && Wallet(name: "a") == "a")
  }

  @Test func `objects that call themselves equal stay apart in the store`() throws {
    let context = try context(Wallet.self, Coin.self)
    let wallets = [Wallet(name: "same"), Wallet(name: "same")]
    wallets.forEach(context.insert)
    wallets[0].coins = [Coin(cents: 5), Coin(cents: 5)]
    wallets[1].coins = [Coin(cents: 5)]
    try context.save()
    let other = ModelContext(context.container)
    #expect(try other.fetch(FetchDescriptor<Wallet>()).map(\.coins.count).sorted() == [1, 2])
    let coin = wallets[0].coins[1]
    wallets[0].coins.removeAll { $0 === coin }
    wallets[1].coins.append(coin)
    #expect(coin.owner === wallets[1])
    try context.save()
    #expect(try ModelContext(context.container).fetch(FetchDescriptor<Wallet>()).map(\.coins.count).sorted() == [1, 2])
    coin.owner = wallets[0]
    #expect(wallets[0].coins.count == 2 && wallets[1].coins.count == 1)
    context.delete(coin)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Coin>()) == 2)
  }

  @Test func `objects compare, hash and identify themselves`() throws {
    let context = try context(Team.self)
    let team = Team(name: "a")
    #expect(team.persistentModelID.isTemporary && team.modelContext == nil && team.hasChanges)
    context.insert(team)
    #expect(team.modelContext === context && !team.isDeleted)
    try context.save()
    #expect(!team.persistentModelID.isTemporary && !team.hasChanges)
    #expect(team.id == team.persistentModelID && team.persistentModelID.entityName == "Team")
    let same = try #require(ModelContext(context.container).model(for: team.id) as? Team)
    #expect(same == team && same !== team && Set([team, same]).count == 1)
  }

  @Test func `values are read and written by key path`() throws {
    let context = try context(Match.self)
    let team = Team(name: "a")
    context.insert(team)
    team.setValue(forKey: \.name, to: "b")
    #expect(team.name == "b" && team.getValue(forKey: \.name) == "b")
    let match = Match(home: nil, guest: nil)
    match.setValue(forKey: \.home, to: team)
    #expect(match.getValue(forKey: \.home) === team && team.getValue(forKey: \.homeMatches) == [match])
    match.setValue(forKey: \.referees, to: [team])
    #expect(team.refereed == [match])
  }
}
