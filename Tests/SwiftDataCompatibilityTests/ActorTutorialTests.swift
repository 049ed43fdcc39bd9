import Foundation
import SwiftData
import Testing

// Work beside the main actor: importers, identifiers that travel, detached tasks, notices of saves.

@Model
final class Article {
  @Attribute(.unique) var slug: String
  var headline: String
  var isRead: Bool
  var published: Date
  @Relationship(inverse: \Feed.articles) var feed: Feed?

  init(slug: String, headline: String, isRead: Bool = false, published: Date = .now) {
    self.slug = slug
    self.headline = headline
    self.isRead = isRead
    self.published = published
  }
}

@Model
final class Feed {
  var title: String
  var articles: [Article] = []

  init(title: String) { self.title = title }
}

/// What leaves the actor.
struct ArticleDTO: Sendable, Hashable, Codable, Identifiable {
  var id: PersistentIdentifier?
  var slug: String
  var headline: String
}

extension ArticleDTO {
  init(_ article: Article) {
    self.init(id: article.persistentModelID, slug: article.slug, headline: article.headline)
  }
}

@ModelActor
actor ArticleStore {
  private var imports = 0

  @discardableResult
  func importArticles(_ articles: [ArticleDTO], batchSize: Int = 100) throws -> Int {
    imports += 1
    for (index, dto) in articles.enumerated() {
      modelContext.insert(
        Article(slug: dto.slug, headline: dto.headline, published: Date(timeIntervalSince1970: Double(index))))
      if (index + 1).isMultiple(of: batchSize) { try modelContext.save() }
    }
    if modelContext.hasChanges { try modelContext.save() }
    return try modelContext.fetchCount(FetchDescriptor<Article>())
  }

  func fetchAll(sortedBy order: sending SortDescriptor<Article> = SortDescriptor(\.slug)) throws -> [ArticleDTO] {
    try modelContext.fetch(FetchDescriptor(sortBy: [order])).map(ArticleDTO.init)
  }

  func identifiers(where predicate: Predicate<Article>? = nil) throws -> [PersistentIdentifier] {
    try modelContext.fetchIdentifiers(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.slug)]))
  }

  func markAsRead(_ ids: [PersistentIdentifier]) throws {
    for id in ids {
      guard let article = self[id, as: Article.self] else { continue }
      article.isRead = true
    }
    try modelContext.save()
  }

  func delete(id: PersistentIdentifier) throws {
    guard let article = modelContext.model(for: id) as? Article else { return }
    modelContext.delete(article)
    try modelContext.save()
  }

  func markAllAsRead() throws -> Int {
    var count = 0
    try modelContext.enumerate(FetchDescriptor<Article>(predicate: #Predicate { !$0.isRead }), batchSize: 10) {
      $0.isRead = true
      count += 1
    }
    try modelContext.save()
    return count
  }
}

/// A store for any model, as a good many articles write it.
@ModelActor
actor Database {
  func insert<T: PersistentModel>(_ make: @Sendable () -> T) throws -> PersistentIdentifier {
    let model = make()
    modelContext.insert(model)
    try modelContext.save()
    return model.persistentModelID
  }

  func count<T: PersistentModel>(of type: T.Type, where predicate: Predicate<T>? = nil) throws -> Int {
    try modelContext.fetchCount(FetchDescriptor<T>(predicate: predicate))
  }

  func fetch<T: PersistentModel, Value: Sendable>(
    _ descriptor: FetchDescriptor<T>, transform: @Sendable (T) throws -> Value
  ) throws -> [Value] {
    try modelContext.fetch(descriptor).map(transform)
  }

  func remove<T: PersistentModel>(_ type: T.Type, where predicate: Predicate<T>? = nil) throws {
    try modelContext.delete(model: type, where: predicate)
    try modelContext.save()
  }
}

@MainActor
struct ActorTutorialTests {
  private let container: ModelContainer
  private var context: ModelContext { container.mainContext }

  init() throws {
    container = try ModelContainer(
      for: Article.self, Feed.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  private func samples(_ count: Int) -> [ArticleDTO] {
    (0..<count).map { ArticleDTO(slug: "a\($0 + 10)", headline: "Headline \($0)") }
  }

  @Test func `an importer saves in batches and counts`() async throws {
    let store = ArticleStore(modelContainer: container)
    #expect(try await store.importArticles(samples(25), batchSize: 10) == 25)
    #expect(try await store.importArticles(samples(30), batchSize: 7) == 30)
    var descriptor = FetchDescriptor<Article>(sortBy: [SortDescriptor(\.headline, order: .reverse)])
    descriptor.fetchLimit = 2
    #expect(try context.fetch(descriptor).map(\.headline) == ["Headline 29", "Headline 28"])
  }

  @Test func `identifiers travel and objects stay`() async throws {
    let store = ArticleStore(modelContainer: container)
    try await store.importArticles(samples(4))
    let ids = try await store.identifiers(where: #Predicate { $0.slug != "a11" })
    let articles = ids.compactMap { context.model(for: $0) as? Article }
    #expect(articles.map(\.slug) == ["a10", "a12", "a13"])
    try await store.markAsRead(Array(ids.prefix(2)))
    let unread = FetchDescriptor<Article>(predicate: #Predicate { !$0.isRead }, sortBy: [SortDescriptor(\.slug)])
    #expect(try context.fetch(unread).map(\.slug) == ["a11", "a13"])
    #expect(articles.map(\.isRead) == [true, true, false])
    try await store.delete(id: ids[2])
    #expect(try context.fetch(unread).map(\.slug) == ["a11"])
    #expect(try await store.fetchAll().map(\.slug) == ["a10", "a11", "a12"])
    #expect(try await store.fetchAll(sortedBy: SortDescriptor(\.slug, order: .reverse)).first?.id == ids[1])
  }

  @Test func `what is registered is found and what is not is nil`() async throws {
    let store = ArticleStore(modelContainer: container)
    try await store.importArticles(samples(2))
    let ids = try await store.identifiers()
    #expect(context.registeredModel(for: ids[0]) as Article? == nil)
    let article = try #require(context.model(for: ids[0]) as? Article)
    #expect(article.headline == "Headline 0")
    let registered: Article? = context.registeredModel(for: ids[0])
    #expect(registered === article)
    let wrong: Feed? = context.registeredModel(for: ids[0])
    #expect(wrong == nil)
  }

  @Test func `enumerate edits each object`() async throws {
    let store = ArticleStore(modelContainer: container)
    try await store.importArticles(samples(23))
    #expect(try await store.markAllAsRead() == 23)
    #expect(try await store.markAllAsRead() == 0)
    #expect(try context.fetchCount(FetchDescriptor<Article>(predicate: #Predicate { $0.isRead })) == 23)
  }

  @Test func `a generic database serves any model`() async throws {
    let database = Database(modelContainer: container)
    let id = try await database.insert { Article(slug: "x", headline: "Generic") }
    _ = try await database.insert { Feed(title: "News") }
    #expect((context.model(for: id) as? Article)?.headline == "Generic")
    #expect(try await database.count(of: Feed.self) == 1)
    #expect(try await database.count(of: Article.self, where: #Predicate { $0.headline.starts(with: "Gen") }) == 1)
    #expect(try await database.fetch(FetchDescriptor<Feed>()) { $0.title } == ["News"])
    try await database.remove(Article.self, where: #Predicate { $0.slug == "x" })
    #expect(try await database.count(of: Article.self) == 0)
    #expect(try await database.count(of: Feed.self) == 1)
  }

  @Test func `a detached task has a context of its own`() async throws {
    let feed = Feed(title: "Swift")
    context.insert(feed)
    try context.save()
    let (container, feedID) = (container, feed.persistentModelID)
    let count = try await Task.detached(priority: .background) {
      let background = ModelContext(container)
      guard let feed = background.model(for: feedID) as? Feed else { return 0 }
      for number in 1...3 {
        let article = Article(slug: "s\(number)", headline: "News \(number)")
        article.feed = feed
      }
      try background.save()
      return feed.articles.count
    }.value
    #expect(count == 3)
    let ofFeed = FetchDescriptor<Article>(
      predicate: #Predicate { $0.feed?.persistentModelID == feedID }, sortBy: [SortDescriptor(\.slug)])
    #expect(try context.fetch(ofFeed).map(\.headline) == ["News 1", "News 2", "News 3"])
    #expect(feed.articles.count == 3)
  }

  @Test func `two actors write at the same time`() async throws {
    let stores = [ArticleStore(modelContainer: container), ArticleStore(modelContainer: container)]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, store) in stores.enumerated() {
        group.addTask {
          for round in 0..<10 {
            try await store.importArticles([ArticleDTO(slug: "\(number)-\(round)", headline: "h")])
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try context.fetchCount(FetchDescriptor<Article>()) == 20)
  }

  @Test func `a notice of a save names what it inserted, updated and deleted`() throws {
    let first = Article(slug: "1", headline: "First")
    let second = Article(slug: "2", headline: "Second")
    context.insert(first)
    context.insert(second)
    try context.save()

    let received = Received()
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { notification in
      let ids = [ModelContext.NotificationKey.insertedIdentifiers, .updatedIdentifiers, .deletedIdentifiers].map {
        notification.userInfo?[$0.rawValue] as? [PersistentIdentifier] ?? []
      }
      MainActor.assumeIsolated { received.identifiers.append(ids) }
    }
    defer { NotificationCenter.default.removeObserver(observer) }

    let third = Article(slug: "3", headline: "Third")
    context.insert(third)
    first.isRead = true
    context.delete(second)
    try context.save()
    #expect(
      received.identifiers == [[[third.persistentModelID], [first.persistentModelID], [second.persistentModelID]]])
    try ModelContext(container).save()
    #expect(received.identifiers.count == 1)
  }

  @Test func `an identifier is kept as JSON and found again`() throws {
    let article = Article(slug: "1", headline: "Kept")
    context.insert(article)
    try context.save()
    let data = try JSONEncoder().encode(ArticleDTO(article))
    let restored = try JSONDecoder().decode(ArticleDTO.self, from: data)
    #expect(restored == ArticleDTO(article))
    let id = try #require(restored.id)
    #expect((ModelContext(container).model(for: id) as? Article)?.headline == "Kept")
  }
}

@MainActor private final class Received {
  var identifiers: [[[PersistentIdentifier]]] = []
}
