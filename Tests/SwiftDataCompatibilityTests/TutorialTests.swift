import SwiftData
import Testing

// Code in the ways that tutorials and session samples write it, with what it gives.

enum Difficulty: String, Codable, CaseIterable {
  case easy, medium, hard
}

@Model
final class Recipe {
  @Attribute(.unique) var title: String
  var summary: String?
  var minutes: Int
  var difficulty: Difficulty
  var created: Date
  var isFavorite: Bool
  @Relationship(deleteRule: .cascade, inverse: \Ingredient.recipe) var ingredients = [Ingredient]()
  @Relationship(inverse: \Cuisine.recipes) var cuisines: [Cuisine] = []

  var isQuick: Bool { minutes <= 15 }

  init(
    title: String, summary: String? = nil, minutes: Int = 10, difficulty: Difficulty = .easy, created: Date = .now,
    isFavorite: Bool = false
  ) {
    self.title = title
    self.summary = summary
    self.minutes = minutes
    self.difficulty = difficulty
    self.created = created
    self.isFavorite = isFavorite
  }

  static func predicate(matching text: String, on day: Date) -> Predicate<Recipe> {
    let calendar = Calendar.autoupdatingCurrent
    let start = calendar.startOfDay(for: day)
    let end = calendar.date(byAdding: .init(day: 1), to: start) ?? start
    return #Predicate<Recipe> { recipe in
      (text.isEmpty || recipe.title.localizedStandardContains(text))
        && (recipe.created >= start && recipe.created < end)
    }
  }
}

@Model
final class Ingredient {
  var name: String
  var amount: Double
  var recipe: Recipe?

  init(_ name: String, amount: Double = 1) {
    self.name = name
    self.amount = amount
  }
}

@Model
final class Cuisine {
  var name = ""
  var recipes: [Recipe] = []
  init(name: String) { self.name = name }
}

@ModelActor
actor RecipeImporter {
  func load(_ titles: [String]) throws -> [PersistentIdentifier] {
    let recipes = titles.map { Recipe(title: $0) }
    recipes.forEach(modelContext.insert)
    try modelContext.save()
    return recipes.map(\.persistentModelID)
  }

  func rename(_ id: PersistentIdentifier, to title: String) throws {
    guard let recipe = self[id, as: Recipe.self] else { return }
    recipe.title = title
    try modelContext.save()
  }
}

@MainActor
@Suite struct TutorialTests {
  private let container: ModelContainer
  private var context: ModelContext { container.mainContext }

  /// A container for previews. No time zone's midnight lies within the same quarter of an hour.
  init() throws {
    let schema = Schema([Recipe.self, Ingredient.self, Cuisine.self])
    let configuration = ModelConfiguration(schema: schema, isStoredInMemoryOnly: true)
    container = try ModelContainer(for: schema, configurations: [configuration])
    let soup = Recipe(
      title: "Soup", summary: "hot", minutes: 40, difficulty: .medium, created: .day(1).addingTimeInterval(1200))
    let salad = Recipe(title: "Salad", minutes: 10, created: .day(1).addingTimeInterval(1500), isFavorite: true)
    let cake = Recipe(title: "Cake", summary: "sweet", minutes: 90, difficulty: .hard, created: .day(9))
    for recipe in [soup, salad, cake] { context.insert(recipe) }
    soup.ingredients = [Ingredient("water", amount: 2), Ingredient("salt", amount: 0.5)]
    cake.ingredients.append(Ingredient("sugar", amount: 3))
    salad.ingredients.append(contentsOf: [Ingredient("salt"), Ingredient("oil")])
    let cuisine = Cuisine(name: "Home")
    cuisine.recipes.append(contentsOf: [soup, cake])
  }

  private func titles(_ predicate: Predicate<Recipe>?) throws -> [String] {
    try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.minutes)])).map(\.title)
  }

  @Test func `a search field and a day make a predicate`() throws {
    #expect(try titles(Recipe.predicate(matching: "", on: .day(1).addingTimeInterval(1300))) == ["Salad", "Soup"])
    #expect(try titles(Recipe.predicate(matching: "sOu", on: .day(1).addingTimeInterval(1300))) == ["Soup"])
    #expect(try titles(Recipe.predicate(matching: "sou", on: .day(9))) == [])
  }

  @Test func `an empty search shows all`() throws {
    func search(_ text: String) -> Predicate<Recipe> {
      #Predicate { text.isEmpty ? true : $0.title.localizedStandardContains(text) }
    }
    #expect(try titles(search("")) == ["Salad", "Soup", "Cake"])
    #expect(try titles(search("CA")) == ["Cake"])
  }

  @Test func `an optional text is searched by chaining and by default`() throws {
    #expect(try titles(#Predicate { $0.summary?.contains("ee") == true }) == ["Cake"])
    #expect(try titles(#Predicate { ($0.summary ?? "").isEmpty }) == ["Salad"])
    let bound = #Predicate<Recipe> { recipe in
      if let summary = recipe.summary { summary.starts(with: "h") } else { recipe.isFavorite }
    }
    #expect(try titles(bound) == ["Salad", "Soup"])
  }

  @Test func `a case is compared from a constant`() throws {
    let hard = Difficulty.hard
    #expect(try titles(#Predicate { $0.difficulty == hard }) == ["Cake"])
    #expect(try titles(#Predicate { $0.difficulty != hard && $0.minutes > 20 }) == ["Soup"])
  }

  @Test func `related objects are asked in a closure`() throws {
    #expect(try titles(#Predicate { $0.ingredients.contains { $0.name == "salt" } }) == ["Salad", "Soup"])
    #expect(try titles(#Predicate { $0.ingredients.count > 1 && !$0.isFavorite }) == ["Soup"])
    #expect(try titles(#Predicate { $0.cuisines.isEmpty }) == ["Salad"])
    let soup = try #require(
      try context.fetch(FetchDescriptor<Recipe>(predicate: #Predicate { $0.title == "Soup" })).first)
    let id = soup.persistentModelID
    let parts = FetchDescriptor<Ingredient>(
      predicate: #Predicate { $0.recipe?.persistentModelID == id }, sortBy: [SortDescriptor(\.amount)])
    #expect(try context.fetch(parts).map(\.name) == ["salt", "water"])
  }

  @Test func `the newest ones are fetched by a limit, and all are counted`() throws {
    var newest = FetchDescriptor<Recipe>(sortBy: [SortDescriptor(\.created, order: .reverse)])
    newest.fetchLimit = 2
    newest.propertiesToFetch = [\.title, \.created]
    newest.relationshipKeyPathsForPrefetching = [\.ingredients]
    #expect(try context.fetch(newest).map(\.title) == ["Cake", "Salad"])
    #expect(try context.fetchCount(FetchDescriptor<Recipe>()) == 3)
    #expect(try context.fetch(FetchDescriptor<Recipe>()).filter(\.isQuick).map(\.title) == ["Salad"])
  }

  @Test func `a delete takes the parts along`() throws {
    try context.save()
    let cake = try #require(
      try context.fetch(FetchDescriptor<Recipe>(predicate: #Predicate { $0.minutes == 90 })).first)
    context.delete(cake)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Ingredient>()) == 4)
    #expect(try context.fetch(FetchDescriptor<Cuisine>()).first?.recipes.map(\.title) == ["Soup"])
    try context.delete(model: Recipe.self, where: #Predicate { !$0.isFavorite })
    try context.save()
    #expect(try titles(nil) == ["Salad"])
  }

  @Test func `a second insert of a unique title updates the first`() throws {
    try context.save()
    context.insert(Recipe(title: "Soup", minutes: 5, created: .day(2)))
    try context.save()
    #expect(try titles(nil) == ["Soup", "Salad", "Cake"])
  }

  @Test func `swiping deletes by offset, and a cancelled edit is rolled back`() throws {
    try context.save()
    var recipes = try context.fetch(FetchDescriptor<Recipe>(sortBy: [SortDescriptor(\.minutes)]))
    for index in IndexSet(integer: 0) { context.delete(recipes[index]) }
    #expect(context.hasChanges && context.deletedModelsArray.count == 1)
    context.rollback()
    recipes[1].title = "Stew"
    context.rollback()
    recipes = try context.fetch(FetchDescriptor<Recipe>(sortBy: [SortDescriptor(\.minutes)]))
    #expect(recipes.map(\.title) == ["Salad", "Soup", "Cake"])
  }

  @Test func `an actor imports, and the main context finds it by identifier`() async throws {
    try context.save()
    let importer = RecipeImporter(modelContainer: container)
    let ids = try await importer.load(["Bread", "Tea"])
    let bread = try #require(context.model(for: ids[0]) as? Recipe)
    #expect(bread.title == "Bread")
    try await importer.rename(ids[1], to: "Green Tea")
    let renamed = FetchDescriptor<Recipe>(predicate: #Predicate { $0.title.contains("Tea") })
    #expect(try context.fetch(renamed).map(\.title) == ["Green Tea"])
  }
}
