//! Which renderer a tool has: what its package says, and over it what the user says.

use serde_json::Value;

use crate::record::{RendererKind, ToolOverride, ToolRenderConfig};

/// A renderer and its configuration, expressions and all.
#[derive(Clone, Debug, PartialEq)]
pub struct Declared {
    /// The renderer.
    pub renderer: RendererKind,
    /// Its configuration.
    pub config: Value,
}

impl Declared {
    /// The renderer in effect (C18): the override's where it has one, else that of the highest priority. A configuration that
    /// was written for another renderer is not carried over.
    #[must_use]
    pub fn effective(configs: &[ToolRenderConfig], chosen: Option<&ToolOverride>) -> Option<Self> {
        let highest = configs.iter().max_by_key(|config| config.priority);
        let renderer = chosen.and_then(|chosen| chosen.renderer).or_else(|| highest.map(|highest| highest.renderer))?;
        let of_package =
            || highest.filter(|highest| highest.renderer == renderer).map(|highest| highest.config.clone());
        let config = chosen.and_then(|chosen| chosen.renderer_config.clone()).or_else(of_package);
        Some(Self { renderer, config: config.unwrap_or_else(|| Value::Object(serde_json::Map::new())) })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::catalog::{ToolId, ToolsetId};
    use crate::record::PackageId;

    fn declared(renderer: RendererKind, config: Value, priority: u32) -> ToolRenderConfig {
        let tool_id = ToolId::try_from("mine:show".to_owned()).expect("is a tool id");
        ToolRenderConfig { package: PackageId::of(b""), tool_id, renderer, config, priority }
    }

    fn chosen(renderer: Option<RendererKind>, renderer_config: Option<Value>) -> ToolOverride {
        ToolOverride {
            toolset_id: ToolsetId::parse("mine").expect("is a name"),
            tool_id: "show".into(),
            renderer,
            renderer_config,
            name_override: None,
            description_override: None,
            requires_confirmation: None,
            enabled: None,
        }
    }

    /// R009, C18
    #[test]
    fn the_override_wins_and_then_the_highest_priority() {
        let configs = [
            declared(RendererKind::Code, json!({"file": "a"}), 0),
            declared(RendererKind::Document, json!({"file": "b"}), 2),
            declared(RendererKind::Code, json!({"file": "c"}), 1),
        ];
        let check = |over: Option<ToolOverride>, renderer, config: Value| {
            assert_eq!(Declared::effective(&configs, over.as_ref()), Some(Declared { renderer, config }));
        };
        check(None, RendererKind::Document, json!({"file": "b"}));
        check(Some(chosen(None, None)), RendererKind::Document, json!({"file": "b"}));
        check(Some(chosen(None, Some(json!({"file": "d"})))), RendererKind::Document, json!({"file": "d"}));
        check(Some(chosen(Some(RendererKind::Code), None)), RendererKind::Code, json!({}));
        let html = json!({"artifact": "x.html"});
        check(Some(chosen(Some(RendererKind::Html), Some(html.clone()))), RendererKind::Html, html);
        assert_eq!(Declared::effective(&[], None), None);
        assert_eq!(Declared::effective(&[], Some(&chosen(None, Some(json!({}))))), None);
    }
}
