//! What the app can do, as commands of the box.

use leptos::prelude::{GetUntracked as _, request_animation_frame};
use satchel_core::search::{Passage, Query};
use satchel_core::settings::{SettingChange, Theme};

use super::entry::{Choice, Row};
use crate::browser::page;
use crate::state::{Address, Answers, Chats, CurrentSettings, OpenedChat, Pane, Panes, Place, Runs};
use crate::ui::parts::IconName;
use crate::ui::settings::section::SectionId;
use crate::ui::workspace::UPLOAD_INPUT;
use crate::work::chat_export;

/// A command.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Command {
    NewChat,
    ExportChat,
    DeleteChat,
    AttachFiles,
    GoTo(Place),
    ImportToolset,
    Theme(Theme),
    ToggleSidebar,
    ToggleWorkspace,
    Section(SectionId),
}

/// The commands that there are here and now, and what they act on.
#[derive(Clone, Copy)]
pub(super) struct Commands {
    address: Address,
    answers: Answers,
    chats: Chats,
    opened: OpenedChat,
    panes: Panes,
    runs: Runs,
    settings: CurrentSettings,
    in_chat: bool,
}

impl Commands {
    /// With the contexts of the component that asks.
    pub(super) fn here() -> Self {
        let opened = OpenedChat::expect();
        Self {
            address: Address::expect(),
            answers: Answers::expect(),
            chats: Chats::expect(),
            opened,
            panes: Panes::expect(),
            runs: Runs::expect(),
            settings: CurrentSettings::expect(),
            in_chat: opened.open_untracked().is_some(),
        }
    }

    /// All of them, the most used first.
    fn all(&self) -> Vec<Command> {
        let mut all = vec![Command::NewChat];
        if self.in_chat {
            all.extend([Command::AttachFiles, Command::ExportChat]);
        }
        all.extend([Place::Toolsets, Place::Servers, Place::Tools, Place::Settings].map(Command::GoTo));
        all.push(Command::ImportToolset);
        let theme = self.settings.theme().get_untracked();
        all.extend(
            [Theme::Light, Theme::Dark, Theme::System].into_iter().filter(|one| *one != theme).map(Command::Theme),
        );
        all.extend([Command::ToggleSidebar, Command::ToggleWorkspace]);
        all.extend(SectionId::ALL.map(Command::Section));
        if self.in_chat {
            all.push(Command::DeleteChat);
        }
        all
    }

    /// Those that have the words, the best first, and whether one begins with them; all where there are no words.
    pub(super) fn matching(&self, query: &Query) -> (Vec<Command>, bool) {
        let with_fit = |command: Command| {
            let title = command.title();
            let fit = query.fit(&title).or_else(|| query.fit(&format!("{title} {}", command.other_words())))?;
            Some((query.begins(&title), fit, command))
        };
        let mut found: Vec<(bool, u32, Command)> = self.all().into_iter().filter_map(with_fit).collect();
        found.sort_by_key(|(begins, fit, _)| std::cmp::Reverse((*begins, *fit)));
        let is_spelled = found.first().is_some_and(|(begins, ..)| *begins);
        (found.into_iter().map(|(.., command)| command).collect(), is_spelled)
    }

    /// Carries one out.
    pub(super) fn run(self, command: Command) {
        match command {
            Command::NewChat => {
                self.panes.show(Pane::Main);
                self.address.go(Place::Chat.path());
                // The composer is drawn after this.
                request_animation_frame(|| page::focus("chat-input"));
            }
            Command::DeleteChat => {
                if let Some(open) = self.opened.open_untracked() {
                    self.runs.stop_all_of(&open.chat.id, self.answers);
                    self.chats.delete(open.chat);
                }
            }
            Command::ExportChat => {
                if let Some(open) = self.opened.open_untracked() {
                    chat_export::as_markdown(&open);
                }
            }
            Command::AttachFiles => page::press(UPLOAD_INPUT),
            Command::GoTo(place) => self.go(place.path()),
            Command::ImportToolset => self.go(Place::Toolsets.path()),
            Command::Section(section) => self.go(&section.link()),
            Command::Theme(theme) => {
                let words = match theme {
                    Theme::System => "The theme follows your system.",
                    Theme::Light => "The light theme is on.",
                    Theme::Dark => "The dark theme is on.",
                };
                self.settings.change(SettingChange::Theme(theme), words);
            }
            Command::ToggleSidebar => {
                self.panes.change(|open| open.sidebar = !open.sidebar);
                self.toggle_on_narrow(Pane::Chats);
            }
            Command::ToggleWorkspace => {
                self.panes.change(|open| open.workspace = !open.workspace);
                self.toggle_on_narrow(Pane::Files);
            }
        }
    }

    fn go(self, path: &str) {
        self.panes.show(Pane::Main);
        self.address.go(path);
    }

    /// On a screen that shows one pane at a time, the pane is shown or left.
    fn toggle_on_narrow(self, pane: Pane) {
        self.panes.show(if self.panes.shown_untracked() == pane { Pane::Main } else { pane });
    }
}

impl Command {
    /// Its row.
    pub(super) fn row(self, query: &Query) -> Row {
        Row {
            icon: self.icon(),
            title: Passage::whole(&self.title(), query),
            place: String::new(),
            passage: None,
            choice: Choice::Command(self),
        }
    }

    fn title(self) -> String {
        match self {
            Self::NewChat => "New chat".into(),
            Self::ExportChat => "Export this chat as Markdown".into(),
            Self::DeleteChat => "Delete this chat".into(),
            Self::AttachFiles => "Attach files to this chat".into(),
            Self::GoTo(place) => format!("Go to {}", place.name()),
            Self::ImportToolset => "Import a toolset".into(),
            Self::Theme(Theme::Light) => "Use the light theme".into(),
            Self::Theme(Theme::Dark) => "Use the dark theme".into(),
            Self::Theme(Theme::System) => "Use the theme of the system".into(),
            Self::ToggleSidebar => "Show or hide the sidebar".into(),
            Self::ToggleWorkspace => "Show or hide the workspace".into(),
            Self::Section(section) => format!("Settings: {}", section.title()),
        }
    }

    /// What people also call it.
    fn other_words(self) -> &'static str {
        match self {
            Self::NewChat => "begin start conversation",
            Self::ExportChat => "download save conversation document",
            Self::DeleteChat => "remove conversation",
            Self::AttachFiles => "upload add",
            Self::GoTo(_) => "open page",
            Self::ImportToolset => "bundle zip install add",
            Self::Theme(_) => "mode colour color appearance",
            Self::ToggleSidebar => "toggle open close chats pane",
            Self::ToggleWorkspace => "toggle open close files pane",
            Self::Section(_) => "preferences options",
        }
    }

    fn icon(self) -> IconName {
        match self {
            Self::NewChat => IconName::Plus,
            Self::ExportChat => IconName::Download,
            Self::DeleteChat => IconName::Delete,
            Self::AttachFiles => IconName::Upload,
            Self::GoTo(Place::Toolsets) | Self::ImportToolset => IconName::Toolset,
            Self::GoTo(Place::Servers) => IconName::Server,
            Self::GoTo(Place::Tools) => IconName::Tool,
            Self::GoTo(Place::Settings) | Self::Section(_) => IconName::Settings,
            Self::GoTo(Place::Chat | Place::Nowhere) => IconName::Chat,
            Self::Theme(Theme::Light) => IconName::Sun,
            Self::Theme(Theme::Dark) => IconName::Moon,
            Self::Theme(Theme::System) => IconName::Screen,
            Self::ToggleSidebar => IconName::LeftPane,
            Self::ToggleWorkspace => IconName::RightPane,
        }
    }
}
