public import Foundation
import Tandem

/// What an app does with the models: in this module their names hide those of the libraries.
public enum HostileStore {
  /// Opens the store, reads what is there, and adds one object.
  ///
  /// - Returns: The values of all objects of the class `Tandem`.
  public static func addBicycle(at url: Foundation::URL) throws -> [Swift::Int] {
    let schema = Tandem::Schema(versionedSchema: StoreModels2.self)
    let container = try Tandem::ModelContainer(
      for: schema, configurations: Tandem::ModelConfiguration(url: url))
    let context = Tandem::ModelContext(container)
    context.insert(Tandem(value: 8))
    try context.save()
    return try context.fetch(Tandem::FetchDescriptor<Tandem>()).map(\.value).sorted()
  }

  /// Writes and reads properties whose names are keywords, types or no names at all.
  ///
  /// - Returns: What was read.
  public static func addText(at url: Foundation::URL) throws -> [Swift::String] {
    let schema = Tandem::Schema(versionedSchema: StoreModels2.self)
    let container = try Tandem::ModelContainer(
      for: schema, configurations: Tandem::ModelConfiguration(url: url))
    let context = Tandem::ModelContext(container)
    let owner = modelsClass(modelsValue: 3)
    let text = StringClass(StringValue: "a", Tandem: 1, selfValue: 0.5, SelfValue: owner)
    let words = `two words`()
    context.insert(text)
    context.insert(words)
    words.String = [text]
    words.twoWordsValue = "both"
    try context.save()
    let found = try Tandem::ModelContext(container).fetch(Tandem::FetchDescriptor<`two words`>())
    return found.flatMap { words in words.String.map { "\(words.twoWordsValue ?? "") \($0.StringValue) \($0.Date)" } }
  }
}
